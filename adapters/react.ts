import {
  createElement,
  type CSSProperties,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useState,
  useSyncExternalStore,
} from "react"
import {
  type ComponentKind,
  createUploadComponent,
  createUploadSetup,
  headless,
  isSlot,
  mapParts,
  type Markup,
  type Part,
  type RouteDescription,
  seedRouteConfig,
  toActions,
  type TypedFileRouter,
  uploadButton,
  type UploadComponent,
  type UploadComponentProps,
  uploadDropzone,
  type UploadHandle,
  type UploadHookOptions,
  type UploadSetup,
  type UploadSetupOptions,
} from "../src/ui.ts"

export * from "../src/ui.ts"

/** Attributes and handlers of an element, under React's names. */
export interface ElementProps {
  readonly [name: string]: unknown
  readonly className?: string
  readonly style?: CSSProperties
}

/** Where React's names are not HTML's. */
const renamed: Readonly<Record<string, string>> = {
  class: "className",
  dragenter: "onDragEnter",
  dragover: "onDragOver",
  dragleave: "onDragLeave",
}

const toProps = ({ attributes, on }: Part): ElementProps => ({
  ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [renamed[name] ?? name, value])),
  ...Object.fromEntries(
    Object.entries(on).map(([name, handle]) => [
      renamed[name] ?? `on${name[0]!.toUpperCase()}${name.slice(1)}`,
      (event: { readonly nativeEvent: Event }) => handle(event.nativeEvent),
    ]),
  ),
})

const toElement = (markup: Markup): ReactElement =>
  createElement(
    markup.tag,
    { key: markup.key, ...toProps(markup) },
    ...markup.children.map((child) =>
      typeof child === "string" ? child : isSlot(child) ? (child.slot as ReactNode) : toElement(child),
    ),
  )

const useComponent = <Router extends TypedFileRouter, Slug extends keyof Router & string>(
  setup: UploadSetup<Router>,
  kind: ComponentKind,
  props: UploadComponentProps<Router, Slug, ReactNode>,
): UploadComponent<Router[Slug]> => {
  const id = useId()
  const [component] = useState(() => createUploadComponent(setup, kind, props, id))
  useSyncExternalStore(component.subscribe, component.getState, component.getState)
  useEffect(() => component.setOptions(props))
  useEffect(() => component.connect(), [component])
  return component
}

/** Props of `<UploadButton>` and `<UploadDropzone>`. */
export type UploadProps<Router extends TypedFileRouter, Slug extends keyof Router & string> = UploadComponentProps<
  Router,
  Slug,
  ReactNode
>

type UploadElement<Router extends TypedFileRouter> = <Slug extends keyof Router & string>(
  props: UploadProps<Router, Slug>,
) => ReactElement

const generate =
  (kind: ComponentKind) =>
  <Router extends TypedFileRouter>(options?: UploadSetupOptions): UploadElement<Router> => {
    const setup = createUploadSetup<Router>(options)
    return (props) => toElement(useComponent(setup, kind, props).render(props))
  }

/** `export const UploadButton = generateUploadButton<typeof router>()`: then `<UploadButton endpoint="avatar" />`. */
export const generateUploadButton = /* @__PURE__ */ generate(uploadButton)

/** `export const UploadDropzone = generateUploadDropzone<typeof router>()`: then `<UploadDropzone endpoint="photos" />`. */
export const generateUploadDropzone = /* @__PURE__ */ generate(uploadDropzone)

/** `export const useUploader = generateUseUploader<typeof router>()`: state, actions and props for markup of your own. */
export const generateUseUploader = <Router extends TypedFileRouter>(options?: UploadSetupOptions) => {
  const setup = createUploadSetup<Router>(options)
  return <Slug extends keyof Router & string>(
    endpoint: Slug,
    options: UploadHookOptions<Router[Slug]> = {},
  ): UploadHandle<Router[Slug], ElementProps> => {
    const component = useComponent(setup, headless, { ...options, endpoint } as UploadProps<Router, Slug>)
    const [actions] = useState(() => toActions(component))
    return { ...component.getState(), ...actions, parts: mapParts(component.parts(), toProps) }
  }
}

/** Seeds the routes' configuration while rendering, on the server and in the page: put it above the first component. */
export const RouteConfigSeed = ({
  routes,
  url,
}: {
  readonly routes: ReadonlyArray<RouteDescription>
  readonly url?: string
}): null => {
  seedRouteConfig(routes, url)
  return null
}
