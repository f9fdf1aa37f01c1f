import {
  defineComponent,
  type FunctionalComponent,
  h,
  mergeProps,
  normalizeClass,
  onMounted,
  onScopeDispose,
  shallowRef,
  triggerRef,
  useId,
  type VNodeChild,
} from "vue"
import { createUploadTray, type Uploads, type UploadTrayProps } from "../../src/ui.ts"
import { createRenderer, toContent, toProps } from "./render.ts"

const declaredOfTray = {
  className: String,
  appearance: null,
  content: null,
  shows: String,
  texts: null,
  titleProgress: Boolean,
  cn: null,
} satisfies Record<Exclude<keyof UploadTrayProps, "aria-label">, unknown>

/**
 * `export const UploadTray = generateUploadTray(uploads)`: then `<UploadTray />` in the layout, where it stays while pages
 * come and go.
 */
export const generateUploadTray = (uploads: Uploads<any>): FunctionalComponent<UploadTrayProps<VNodeChild>> =>
  defineComponent({
    name: "UploadTray",
    inheritAttrs: false,
    props: declaredOfTray,
    setup: (props, { attrs, slots }) => {
      const given = (): UploadTrayProps<VNodeChild> => {
        const { className, content, ...others } = props as UploadTrayProps<VNodeChild>
        return {
          ...others,
          "aria-label": attrs["aria-label"] as string | undefined,
          content: { ...content, ...toContent(slots) },
          className: normalizeClass([className, attrs["class"]]) || undefined,
        }
      }
      const tray = createUploadTray(uploads, given(), (attrs["id"] as string | undefined) ?? useId())
      const current = shallowRef(tray)
      const toChildren = createRenderer()
      let disconnect: (() => void) | undefined
      const unsubscribe = tray.subscribe(() => triggerRef(current))
      onMounted(() => {
        disconnect = tray.connect()
      })
      onScopeDispose(() => {
        unsubscribe()
        disconnect?.()
      })
      return () => {
        const root = current.value.render(given())
        const { "aria-label": _, ...others } = attrs
        return h(root.tag, mergeProps({ ...others, class: undefined }, toProps(root)), toChildren(root))
      }
    },
  }) as unknown as FunctionalComponent<UploadTrayProps<VNodeChild>>
