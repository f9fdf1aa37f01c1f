import {
  createContext,
  createElement,
  type CSSProperties,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react"
import {
  addRouteSeed,
  type ComponentKind,
  createUploadComponent,
  createUploadSetup,
  createUploadTray,
  headless,
  isSlot,
  mapParts,
  type Markup,
  type Part,
  type RouteDescription,
  type RouteSeeds,
  toActions,
  type TypedFileRouter,
  type UntypedFileRouter,
  uploadAvatar,
  uploadButton,
  type UploadComponent,
  type UploadComponentProps,
  uploadDropzone,
  type UploadHandle,
  type UploadHookOptions,
  type Uploads,
  type UploadSetup,
  type UploadSetupOptions,
  type UploadTrayProps,
} from "../src/ui.ts"

export * from "../src/ui.ts"

/** Attributes and handlers of an element, under React's names. */
export interface ElementProps {
  readonly [name: string]: unknown
  readonly className?: string
  readonly style?: CSSProperties
}

/** React's names that differ from HTML's. */
const renamed: Readonly<Record<string, string>> = {
  class: "className",
  tabindex: "tabIndex",
  dragenter: "onDragEnter",
  dragover: "onDragOver",
  dragleave: "onDragLeave",
}

const toProps = ({ attributes, on }: Part): ElementProps => {
  const props: Record<string, unknown> = {}
  for (const name in attributes) props[renamed[name] ?? name] = attributes[name]
  for (const name in on)
    props[renamed[name] ?? `on${name[0]!.toUpperCase()}${name.slice(1)}`] = (event: { readonly nativeEvent: Event }) =>
      on[name]!(event.nativeEvent)
  return props
}

const kept = new WeakMap<Markup, ReactElement>()

/** React skips an element that is the same as before. */
const toElement = (markup: Markup): ReactElement => {
  const before = kept.get(markup)
  if (before !== undefined) return before
  const children = markup.children.map((child) =>
    typeof child === "string" ? child : isSlot(child) ? (child.slot as ReactNode) : toElement(child),
  )
  // As a property: as arguments, those of a long list would be copied twice. What the page gives is an only child, and has no key.
  const props = { ...toProps(markup), key: markup.key, children: children.length > 1 ? children : children[0] }
  const element = createElement(markup.tag, props)
  if (markup.isKept) kept.set(markup, element)
  return element
}

const Seeds = /* @__PURE__ */ createContext<RouteSeeds | undefined>(undefined)

const never = () => () => {}

/** Whether React renders on a server, or takes over what a server has rendered. */
const useIsServed = () =>
  useSyncExternalStore(
    never,
    () => false,
    () => true,
  )

const useComponent = <Router extends TypedFileRouter, Slug extends keyof Router & string>(
  setup: UploadSetup<Router>,
  kind: ComponentKind,
  props: UploadComponentProps<Router, Slug, ReactNode>,
): UploadComponent<Router[Slug]> => {
  const id = useId()
  const seeds = useContext(Seeds)
  const isServed = useIsServed()
  const [component] = useState(() => createUploadComponent({ ...setup, seeds, isServed }, kind, props, id))
  useSyncExternalStore(component.subscribe, component.getState, component.getState)
  useEffect(() => component.setOptions(props))
  useEffect(() => component.connect(), [component])
  return component
}

/** Props of `<UploadButton>`, `<UploadDropzone>` and `<UploadAvatar>`. */
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
  <Router extends TypedFileRouter = UntypedFileRouter>(options?: UploadSetupOptions): UploadElement<Router> => {
    const setup = createUploadSetup<Router>(options)
    return (props) => toElement(useComponent(setup, kind, props).render(props))
  }

/** `export const UploadButton = generateUploadButton<typeof router>()`: then `<UploadButton endpoint="avatar" />`. */
export const generateUploadButton = /* @__PURE__ */ generate(uploadButton)

/** `export const UploadDropzone = generateUploadDropzone<typeof router>()`: then `<UploadDropzone endpoint="photos" />`. */
export const generateUploadDropzone = /* @__PURE__ */ generate(uploadDropzone)

/** `export const UploadAvatar = generateUploadAvatar<typeof router>()`: then `<UploadAvatar endpoint="avatar" />`. */
export const generateUploadAvatar = /* @__PURE__ */ generate(uploadAvatar)

/** `export const useUploader = generateUseUploader<typeof router>()`: state, actions and props for your own markup. */
export const generateUseUploader = <Router extends TypedFileRouter = UntypedFileRouter>(
  options?: UploadSetupOptions,
) => {
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

/**
 * `export const UploadTray = generateUploadTray(uploads)`: then `<UploadTray />` in the layout, where it stays while pages
 * come and go.
 */
export const generateUploadTray = (uploads: Uploads<any>) => {
  const UploadTray = (props: UploadTrayProps<ReactNode>): ReactElement => {
    const id = useId()
    const [tray] = useState(() => createUploadTray(uploads, props, id))
    useSyncExternalStore(tray.subscribe, tray.getState, tray.getState)
    useEffect(() => tray.setOptions(props))
    useEffect(() => tray.connect(), [tray])
    return toElement(tray.render(props))
  }
  return UploadTray
}

/**
 * Seeds the routes' configuration while rendering, on the server and in the page: put it around the components. A server
 * renders for many visitors at once, and what it has seeded for one page is not known in another.
 */
export const RouteConfigSeed = ({
  routes,
  url,
  children,
}: {
  readonly routes: ReadonlyArray<RouteDescription>
  readonly url?: string | undefined
  readonly children: ReactNode
}): ReactNode => {
  const outer = useContext(Seeds)
  const value = useMemo(() => addRouteSeed(outer, routes, url), [outer, routes, url])
  return createElement(Seeds.Provider, { value }, children)
}
