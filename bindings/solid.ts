import {
  type Accessor,
  batch,
  type Component,
  createComponent,
  createComputed,
  createMemo,
  createSignal,
  createUniqueId,
  For,
  getOwner,
  type JSX,
  mergeProps,
  onCleanup,
  onMount,
  type Owner,
  sharedConfig,
  splitProps,
  untrack,
} from "solid-js"
import { Dynamic, isServer } from "solid-js/web"
import {
  addRouteSeed,
  type ComponentKind,
  createUploadComponent,
  createUploadSetup,
  createUploadTray,
  headless,
  isSlot,
  mapParts,
  type MappedParts,
  type Markup,
  type Part,
  type RouteDescription,
  type RouteSeeds,
  type Slot,
  type Style,
  toActions,
  toStyleText,
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
  type Uploads,
  type UploadSetup,
  type UploadSetupOptions,
  type UploadState,
  type UploadTrayProps,
} from "../src/ui.ts"
import { createState, createTree } from "./solid/stores.ts"

export * from "../src/ui.ts"

/** Attributes and listeners of an element, to be spread. */
export interface ElementProps {
  readonly [name: string]: unknown
}

/**
 * Props of `<UploadButton>`, `<UploadDropzone>` and `<UploadAvatar>`. Functions in `content` are called once per element, with a state
 * whose reads are tracked, like those of any store.
 */
export type UploadProps<Router extends TypedFileRouter, Slug extends keyof Router & string> = UploadComponentProps<
  Router,
  Slug,
  JSX.Element
> & {
  /** Class of the outermost element. */
  readonly class?: string | undefined
}

type AnyProps = UploadProps<TypedFileRouter, string>

const toAttributes = ({ attributes: { style, ...others } }: Part): ElementProps => ({
  ...others,
  ...(style !== undefined && { style: toStyleText(style as Style) }),
})

const toProps = (part: Part): ElementProps => ({
  ...toAttributes(part),
  ...Object.fromEntries(Object.entries(part.on).map(([name, handle]) => [`on:${name}`, handle])),
})

/** Listeners that stay the same while their behaviour changes. */
const toListeners = ({ on }: Part): ElementProps =>
  Object.fromEntries(Object.keys(on).map((name) => [`on:${name}`, (event: Event) => on[name]?.(event)]))

/** Content of the page, before it is made for an element. */
interface SlotContent {
  readonly content: unknown
  readonly itemId: string | undefined
}

/** Keeps the core from making content anew at every change: it is made in its place. */
const toSlotContents = (content: AnyProps["content"] = {}): AnyProps["content"] =>
  Object.fromEntries(
    Object.entries(content)
      .filter(([, made]) => made !== undefined)
      .map(([name, made]) => [
        name,
        (_: UploadState, item?: UploadItem) => ({ content: made, itemId: item?.id }) as unknown as JSX.Element,
      ]),
  )

/** Renders markup from a store: an element stays as long as its key does, whatever else changes. */
const createRenderer = (state: UploadState): ((markup: Markup) => JSX.Element) => {
  const toSlot = (child: Slot): JSX.Element => {
    const { itemId } = untrack(() => child.slot as SlotContent)
    const item = untrack(() => state.files.find(({ id }) => id === itemId))
    const made = createMemo(() => {
      const { content } = child.slot as SlotContent
      return (typeof content === "function" ? content(state, item) : content) as JSX.Element
    })
    const isUsual = createMemo(() => made() === undefined)
    return createMemo(() => (isUsual() ? toChildren(child.usual) : made())) as unknown as JSX.Element
  }
  const toChildren = (children: Markup["children"]): JSX.Element =>
    createComponent(For<Markup["children"], JSX.Element>, {
      each: children,
      children: (child) => (typeof child === "string" ? child : isSlot(child) ? toSlot(child) : toElement(child)),
    })
  const toElement = (markup: Markup): JSX.Element =>
    createComponent(
      Dynamic as Component<ElementProps>,
      mergeProps(
        { component: markup.tag },
        () => toAttributes(markup),
        () => toListeners(markup),
        {
          get children() {
            return toChildren(markup.children)
          },
        },
      ),
    )
  return toElement
}

/** What is seeded in a tree, by its root. A server has a root for each request. */
const seeds = /* @__PURE__ */ new WeakMap<Owner, RouteSeeds>()

/** Whether this is a server, or takes over what a server has rendered; and what is seeded in the tree. */
const readTree = () => {
  let root = getOwner()
  while (root?.owner) root = root.owner
  return { isServed: isServer || !!sharedConfig.context, root, seeds: root ? seeds.get(root) : undefined }
}

/** @returns the component, through a signal of every change, and its state as a store */
const useComponent = <Router extends TypedFileRouter, Slug extends keyof Router & string>(
  setup: UploadSetup<Router>,
  kind: ComponentKind,
  options: Accessor<UploadProps<Router, Slug>>,
): { readonly current: Accessor<UploadComponent<Router[Slug]>>; readonly state: UploadState<Router[Slug]> } => {
  const component = createUploadComponent(
    { ...setup, ...readTree() },
    kind,
    untrack(options),
    `sluice-${createUniqueId()}`,
  )
  const getState = component.getState as () => UploadState
  const [current, tell] = createSignal(component, { equals: false })
  const [state, update] = createState(getState)
  const unsubscribe = component.subscribe(() =>
    batch(() => {
      update()
      tell(component)
    }),
  )
  onCleanup(unsubscribe)
  createComputed(() => {
    component.setOptions(options())
    tell(component)
  })
  onMount(() => onCleanup(component.connect()))
  return { current, state: state as UploadState<any> }
}

type UploadElement<Router extends TypedFileRouter> = <Slug extends keyof Router & string>(
  props: UploadProps<Router, Slug>,
) => JSX.Element

const generate =
  (kind: ComponentKind) =>
  <Router extends TypedFileRouter = UntypedFileRouter>(options?: UploadSetupOptions): UploadElement<Router> => {
    const setup = createUploadSetup<TypedFileRouter>(options)
    return (props) => {
      const [looks, others] = splitProps(props as unknown as AnyProps, ["content", "class", "className"])
      const given = createMemo(() => ({ ...others }) as AnyProps)
      const content = createMemo(() => toSlotContents(looks.content))
      const { current, state } = useComponent(setup, kind, given)
      const root = createTree(() => {
        const className = [looks.className, looks.class].filter(Boolean).join(" ") || undefined
        return current().render({ ...given(), content: content(), className })
      })
      return createRenderer(state)(root)
    }
  }

/** `export const UploadButton = generateUploadButton<typeof router>()`: then `<UploadButton endpoint="avatar" />`. */
export const generateUploadButton = /* @__PURE__ */ generate(uploadButton)

/** `export const UploadDropzone = generateUploadDropzone<typeof router>()`: then `<UploadDropzone endpoint="photos" />`. */
export const generateUploadDropzone = /* @__PURE__ */ generate(uploadDropzone)

/** `export const UploadAvatar = generateUploadAvatar<typeof router>()`: then `<UploadAvatar endpoint="avatar" />`. */
export const generateUploadAvatar = /* @__PURE__ */ generate(uploadAvatar)

/**
 * `export const UploadTray = generateUploadTray(uploads)`: then `<UploadTray />` in the layout, where it stays while pages
 * come and go.
 */
export const generateUploadTray =
  (uploads: Uploads<any>): Component<UploadTrayProps<JSX.Element> & { readonly class?: string | undefined }> =>
  (props) => {
    const [looks, others] = splitProps(props, ["content", "class", "className"])
    const given = createMemo((): UploadTrayProps => ({
      ...others,
      content: toSlotContents(looks.content),
      className: [looks.className, looks.class].filter(Boolean).join(" ") || undefined,
    }))
    const tray = createUploadTray(uploads, untrack(given), `sluice-${createUniqueId()}`)
    const [current, tell] = createSignal(tray, { equals: false })
    const [state, update] = createState(tray.getState as () => UploadState)
    onCleanup(
      tray.subscribe(() =>
        batch(() => {
          update()
          tell(tray)
        }),
      ),
    )
    onMount(() => onCleanup(tray.connect()))
    return createRenderer(state)(createTree(() => current().render(given())))
  }

/** The result of the primitive: every part of the state as an accessor, the actions, and the props for your own elements. */
export type UploadAccessors<Route extends TypedFileRoute<any>> = UploadActions<Route> & {
  readonly [name in keyof UploadState<Route>]: Accessor<UploadState<Route>[name]>
} & {
  /** To be spread: `<button {...parts().pick}>`. */
  readonly parts: Accessor<MappedParts<ElementProps>>
}

const access = <A>(value: A | Accessor<A>): A => (typeof value === "function" ? (value as Accessor<A>)() : value)

/** `export const useUploader = generateUseUploader<typeof router>()`: state, actions and props for your own markup. */
export const generateUseUploader = <Router extends TypedFileRouter = UntypedFileRouter>(
  options?: UploadSetupOptions,
) => {
  const setup = createUploadSetup<Router>(options)
  return <Slug extends keyof Router & string>(
    endpoint: Slug | Accessor<Slug>,
    options: UploadHookOptions<Router[Slug]> | Accessor<UploadHookOptions<Router[Slug]>> = {},
  ): UploadAccessors<Router[Slug]> => {
    const given = createMemo(() => ({ ...access(options), endpoint: access(endpoint) }) as UploadProps<Router, Slug>)
    const { current, state } = useComponent(setup, headless, given)
    const names = untrack(() => Object.keys(state)) as Array<keyof UploadState>
    return {
      ...toActions(untrack(current)),
      ...(Object.fromEntries(names.map((name) => [name, () => state[name]])) as unknown as UploadAccessors<
        Router[Slug]
      >),
      parts: createMemo(() => mapParts(current().parts(), toProps)),
    }
  }
}

/** Seeds the routes' configuration while rendering, on the server and in the page: put it above the first component. */
export const RouteConfigSeed = (props: {
  readonly routes: ReadonlyArray<RouteDescription>
  readonly url?: string
}): null => {
  const { isServed, root, seeds: before } = readTree()
  const all = untrack(() => addRouteSeed(before, props.routes, props.url))
  // What a page seeds on its own, later, is not in what a server had rendered before.
  if (isServed && root) seeds.set(root, all)
  return null
}
