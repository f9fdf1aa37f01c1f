import {
  type AllowedComponentProps,
  type AppContext,
  capitalize,
  computed,
  type ComputedRef,
  defineComponent,
  type FunctionalComponent,
  getCurrentInstance,
  h,
  type MaybeRefOrGetter,
  mergeProps,
  normalizeClass,
  onMounted,
  onScopeDispose,
  type ShallowRef,
  shallowRef,
  toValue,
  triggerRef,
  useId,
  type VNode,
  type VNodeChild,
  type VNodeProps,
  watchEffect,
} from "vue"
import {
  addRouteSeed,
  type ComponentKind,
  createUploadComponent,
  createUploadSetup,
  headless,
  mapParts,
  type MappedParts,
  type PartName,
  type RouteDescription,
  type RouteSeeds,
  toActions,
  type TypedFileRoute,
  type TypedFileRouter,
  type UntypedFileRouter,
  type UploadActions,
  uploadAvatar,
  uploadButton,
  type UploadComponent,
  type UploadComponentProps,
  uploadDropzone,
  type UploadHookOptions,
  type UploadItem,
  type UploadNames,
  type UploadSetup,
  type UploadSetupOptions,
  type UploadState,
} from "../src/ui.ts"

import { createRenderer, type ElementProps, toContent, toProps } from "./vue/render.ts"

export * from "../src/ui.ts"
export type { ElementProps } from "./vue/render.ts"
export { generateUploadTray } from "./vue/tray.ts"

/** Props of `<UploadButton>`, `<UploadDropzone>` and `<UploadAvatar>`; `@upload-error` and its like are the props that begin with `on`. */
export type UploadProps<Router extends TypedFileRouter, Slug extends keyof Router & string> = UploadComponentProps<
  Router,
  Slug,
  VNodeChild
> &
  ModelProps

/** The keys of the stored files, for `v-model`. */
export interface ModelProps {
  readonly modelValue?: ReadonlyArray<string> | undefined
  readonly "onUpdate:modelValue"?: ((keys: Array<string>) => void) | undefined
}

/** The parts that exist once per file. */
type FilePart = Exclude<Extract<PartName, `file${string}`>, "fileList">

/** Slots by part: `<template #label="{ state }">`. They override `content`. */
export type UploadSlots<Route extends TypedFileRoute<any>> = {
  readonly [part in PartName]?: (
    scope: { readonly state: UploadState<Route> } & (part extends FilePart
      ? { readonly item: UploadItem<Route> }
      : unknown),
  ) => unknown
}

/** The types by which templates check a component. */
export interface ComponentContext<Props, Route extends TypedFileRoute<any>> {
  readonly props: Props
  readonly slots: UploadSlots<Route>
  readonly attrs: Readonly<Record<string, unknown>>
  readonly emit: {}
}

/**
 * `<UploadButton>`, `<UploadDropzone>` and `<UploadAvatar>` of a router, generic over the endpoint. In render
 * functions the endpoint is named: `h(UploadButton<"avatar">, { endpoint: "avatar" })`.
 */
type UploadElement<Router extends TypedFileRouter> = <Slug extends keyof Router & string>(
  props: UploadProps<Router, Slug> & VNodeProps & AllowedComponentProps,
) => VNode & { __ctx?: ComponentContext<UploadProps<Router, Slug>, Router[Slug]> }

type AnyProps = UploadProps<TypedFileRouter, string>

const declared = {
  endpoint: { type: String, required: true as const },
  disabled: Boolean,
  className: String,
  name: String,
  required: Boolean,
  value: null,
  modelValue: null,
  initialFiles: null,
  input: null,
  headers: null,
  resumeStore: null,
  uploads: null,
  config: null,
  appearance: null,
  content: null,
  onBeforeUploadBegin: null,
  onUploadBegin: null,
  onUploadProgress: null,
  onClientUploadComplete: null,
  onUploadError: null,
  onUploadAborted: null,
  onChange: null,
  onValueChange: null,
  "onUpdate:modelValue": null,
} satisfies Record<Exclude<keyof AnyProps, keyof UploadNames> | keyof ModelProps, unknown>

/** A listener that is set twice, for example in the template and by `v-bind`, is an array. */
const toHandler = (value: unknown): unknown =>
  Array.isArray(value) ? (...args: Array<unknown>) => value.map((handle) => handle(...args)).at(-1) : value

const toOptions = (props: object): AnyProps => {
  const {
    modelValue,
    "onUpdate:modelValue": update,
    ...options
  } = Object.fromEntries(
    Object.entries(props).map(([name, value]) => [name, name.startsWith("on") ? toHandler(value) : value]),
  ) as unknown as AnyProps
  const { value = modelValue, onValueChange } = options
  const tell = (keys: Array<string>) => {
    onValueChange?.(keys)
    update?.(keys)
  }
  return { ...options, value, ...((onValueChange ?? update) && { onValueChange: tell }) }
}

/** What is seeded in an application. A server has one for each request. */
const seeds = /* @__PURE__ */ new WeakMap<AppContext, RouteSeeds>()

/** How the component that is being set up is rendered, and what is seeded in its application. */
const readTree = () => {
  const instance = getCurrentInstance()
  // Vue gives an element to a component that is yet to be set up only where it takes over what a server has rendered.
  const isServed = typeof document === "undefined" || !!instance?.vnode.el
  const app = instance?.appContext
  return { isServed, app, seeds: app && seeds.get(app) }
}

/** @returns the component, in a ref that triggers when its markup changes */
const useComponent = <Router extends TypedFileRouter, Slug extends keyof Router & string>(
  setup: UploadSetup<Router>,
  kind: ComponentKind,
  options: () => UploadProps<Router, Slug>,
  id: string,
): ShallowRef<UploadComponent<Router[Slug]>> => {
  const component = createUploadComponent({ ...setup, ...readTree() }, kind, options(), id)
  const current = shallowRef(component)
  let disconnect: (() => void) | undefined
  const unsubscribe = component.subscribe(() => triggerRef(current))
  watchEffect(() => {
    component.setOptions(options())
    triggerRef(current)
  })
  onMounted(() => {
    disconnect = component.connect()
  })
  onScopeDispose(() => {
    unsubscribe()
    disconnect?.()
  })
  return current
}

const generate =
  (kind: ComponentKind) =>
  <Router extends TypedFileRouter = UntypedFileRouter>(options?: UploadSetupOptions): UploadElement<Router> => {
    const setup = createUploadSetup<TypedFileRouter>(options)
    return defineComponent({
      name: `Upload${capitalize(kind.name)}`,
      inheritAttrs: false,
      props: declared,
      setup: (props, { attrs, slots }) => {
        const given = () => toOptions(props)
        const toChildren = createRenderer()
        const current = useComponent(setup, kind, given, (attrs["id"] as string | undefined) ?? useId())
        return () => {
          const { className, content, ...others } = given()
          const root = current.value.render({
            ...others,
            // These are attributes, and so not among the props.
            "aria-label": attrs["aria-label"] as string | undefined,
            "aria-labelledby": attrs["aria-labelledby"] as string | undefined,
            content: { ...content, ...toContent(slots) },
            className: normalizeClass([className, attrs["class"]]) || undefined,
          })
          return h(root.tag, mergeProps({ ...attrs, class: undefined }, toProps(root)), toChildren(root))
        }
      },
    }) as unknown as UploadElement<Router>
  }

/** `export const UploadButton = generateUploadButton<typeof router>()`: then `<UploadButton endpoint="avatar" />`. */
export const generateUploadButton = /* @__PURE__ */ generate(uploadButton)

/** `export const UploadDropzone = generateUploadDropzone<typeof router>()`: then `<UploadDropzone endpoint="photos" />`. */
export const generateUploadDropzone = /* @__PURE__ */ generate(uploadDropzone)

/** `export const UploadAvatar = generateUploadAvatar<typeof router>()`: then `<UploadAvatar endpoint="avatar" />`. */
export const generateUploadAvatar = /* @__PURE__ */ generate(uploadAvatar)

/** The result of the composable: every part of the state as a ref, the actions, and the props for your own elements. */
export type UploadRefs<Route extends TypedFileRoute<any>> = UploadActions<Route> & {
  readonly [name in keyof UploadState<Route>]: ComputedRef<UploadState<Route>[name]>
} & {
  /** For `v-bind`: `<button v-bind="parts.pick">`. */
  readonly parts: ComputedRef<MappedParts<ElementProps>>
}

/**
 * `export const useUploader = generateUseUploader<typeof router>()`: state, actions and props for your own markup.
 * Call it in a component's `setup`; it ends with the component.
 */
export const generateUseUploader = <Router extends TypedFileRouter = UntypedFileRouter>(
  options?: UploadSetupOptions,
) => {
  const setup = createUploadSetup<Router>(options)
  return <Slug extends keyof Router & string>(
    endpoint: MaybeRefOrGetter<Slug>,
    options: MaybeRefOrGetter<UploadHookOptions<Router[Slug]>> = {},
  ): UploadRefs<Router[Slug]> => {
    const given = () => ({ ...toValue(options), endpoint: toValue(endpoint) }) as UploadProps<Router, Slug>
    const current = useComponent(setup, headless, given, useId())
    const names = Object.keys(current.value.getState()) as Array<keyof UploadState>
    return {
      ...toActions(current.value),
      ...(Object.fromEntries(
        names.map((name) => [name, computed(() => current.value.getState()[name])]),
      ) as unknown as UploadRefs<Router[Slug]>),
      parts: computed(() => mapParts(current.value.parts(), toProps)),
    }
  }
}

/** Seeds the routes' configuration while rendering, on the server and in the page: put it above the first component. */
export const RouteConfigSeed = /* @__PURE__ */ defineComponent({
  name: "RouteConfigSeed",
  props: { routes: null, url: null },
  setup: ({ routes, url }) => {
    const { app, isServed, seeds: before } = readTree()
    const all = addRouteSeed(before, routes, url)
    // What a page seeds on its own, later, is not in what a server had rendered before.
    if (isServed && app) seeds.set(app, all)
    return () => null
  },
}) as unknown as FunctionalComponent<{
  readonly routes: ReadonlyArray<RouteDescription>
  readonly url?: string
}>
