import { type Component, getAllContexts, onMount, untrack } from "svelte"
import { createSubscriber } from "svelte/reactivity"
import { toStore } from "svelte/store"
import {
  addRouteSeed,
  type ComponentKind,
  createUploadComponent,
  createUploadSetup,
  createUploadTray,
  headless,
  mapParts,
  type RouteDescription,
  type RouteSeeds,
  toActions,
  type TypedFileRouter,
  type UntypedFileRouter,
  uploadAvatar,
  uploadButton,
  type UploadComponent,
  type UploadComponentOptions,
  type UploadComponentProps,
  uploadDropzone,
  type UploadHandle,
  type UploadHookOptions,
  type UploadLooks,
  type UploadNames,
  type Uploads,
  type UploadSetup,
  type UploadSetupOptions,
  type UploadState,
  type UploadTrayProps,
} from "../src/ui.ts"
import { type ElementProps, toContent, toElement, toProps, type UploadContents } from "./svelte/svelte-element.ts"
import UploadComponentView from "./svelte/upload-component.svelte"

export * from "../src/ui.ts"
export type { ElementProps, UploadContent, UploadContents } from "./svelte/svelte-element.ts"

/**
 * Props of `<UploadButton>`, `<UploadDropzone>` and `<UploadAvatar>`. The contents of parts may be props too, so that
 * a snippet inside the component works: `{#snippet label(state)}…{/snippet}`.
 */
export type UploadProps<Router extends TypedFileRouter, Slug extends keyof Router & string = keyof Router & string> = {
  [Each in Slug]: UploadComponentOptions<Router, Each> &
    UploadNames &
    UploadContents & {
      /** Class of the outermost element. */
      readonly class?: string | undefined
      readonly appearance?: UploadLooks["appearance"]
      readonly content?: UploadContents | undefined
    }
}[Slug]

/** Options of `useUploader`. */
export type UseUploaderOptions<Router extends TypedFileRouter, Slug extends keyof Router & string> = UploadHookOptions<
  Router[Slug]
> & {
  /** Prefix of ids in the page: `$props.id()`, where server and page must have the same. */
  readonly id?: string | undefined
}

const seedsKey = Symbol()

/** Whether `$props.id()` is one that a server has given. In the page Svelte's own begin with "c". */
const isOfServer = (id: string) => /(^|-)s\d+$/.test(id)

/** What is known of the tree of the component that is being created. */
const readTree = () => {
  try {
    const contexts = getAllContexts<Map<symbol, RouteSeeds>>()
    return { contexts, seeds: contexts.get(seedsKey) }
  } catch {
    // There is no component around it, and so no seed.
    return undefined
  }
}

/** Ties an upload component to the Svelte component that is being created, and to its props. */
const attach = <Router extends TypedFileRouter, Slug extends keyof Router & string>(
  setup: UploadSetup<Router>,
  kind: ComponentKind,
  read: () => UploadComponentProps<Router, Slug, unknown>,
  id: string,
): {
  readonly component: UploadComponent<Router[Slug]>
  /** Makes a getter that follows the component's state. */
  readonly follow: <A>(get: () => A) => PropertyDescriptor
} => {
  // Svelte hydrates elements by their order alone: what it finds has to be what the server has rendered.
  const isServed = typeof document === "undefined" || isOfServer(id)
  const component = createUploadComponent({ ...setup, ...readTree(), isServed }, kind, untrack(read), id)
  const track = createSubscriber((update) => component.subscribe(update))
  onMount(() => {
    // A store, because `$effect` is only available in `.svelte` files.
    const unsubscribe = toStore(read).subscribe((props) => untrack(() => component.setOptions(props)))
    const disconnect = component.connect()
    return () => {
      unsubscribe()
      disconnect()
    }
  })
  return { component, follow: (get) => ({ enumerable: true, get: () => (track(), get()) }) }
}

const generate =
  (kind: ComponentKind) =>
  <Router extends TypedFileRouter = UntypedFileRouter>(
    options?: UploadSetupOptions,
  ): Component<UploadProps<Router>, {}, "value"> => {
    const setup = createUploadSetup<Router>(options)
    return (internals, props) => {
      const read = () => {
        const { class: className, content, onValueChange, ...others } = props as UploadProps<TypedFileRouter>
        // The contents include options too, but those are never looked up.
        const looks = { className, content: toContent({ ...others, ...content }) }
        // A prop of `bind:value` has a setter.
        const bound = Object.getOwnPropertyDescriptor(props, "value")?.set
        const tell = (keys: Array<string>) => {
          bound?.call(props, keys)
          onValueChange?.(keys)
        }
        return {
          ...others,
          ...looks,
          ...((bound ?? onValueChange) && { onValueChange: tell }),
        } as unknown as UploadComponentProps<Router, keyof Router & string, unknown>
      }
      const create = (id: string) => {
        const { component, follow } = attach(setup, kind, read, id)
        return Object.defineProperty(
          {},
          "element",
          follow(() => toElement(component.render(read()))),
        )
      }
      return UploadComponentView(internals, { create })
    }
  }

/** `export const UploadButton = generateUploadButton<typeof router>()`: then `<UploadButton endpoint="avatar" />`. */
export const generateUploadButton = /* @__PURE__ */ generate(uploadButton)

/** `export const UploadDropzone = generateUploadDropzone<typeof router>()`: then `<UploadDropzone endpoint="photos" />`. */
export const generateUploadDropzone = /* @__PURE__ */ generate(uploadDropzone)

/** `export const UploadAvatar = generateUploadAvatar<typeof router>()`: then `<UploadAvatar endpoint="avatar" />`. */
export const generateUploadAvatar = /* @__PURE__ */ generate(uploadAvatar)

/** Props of `<UploadTray>`. The contents of parts may be props too, so that a snippet inside the component works. */
export type TrayProps = Omit<UploadTrayProps, "className" | "content"> &
  UploadContents & {
    /** Class of the outermost element. */
    readonly class?: string | undefined
    readonly content?: UploadContents | undefined
  }

/**
 * `export const UploadTray = generateUploadTray(uploads)`: then `<UploadTray />` in the layout, where it stays while pages
 * come and go.
 */
export const generateUploadTray =
  (uploads: Uploads<any>): Component<TrayProps> =>
  (internals, props) => {
    const read = (): UploadTrayProps => {
      const { class: className, content, ...others } = props
      return { ...others, className, content: toContent({ ...others, ...content }) }
    }
    const create = (id: string) => {
      const tray = createUploadTray(uploads, untrack(read), id)
      const track = createSubscriber((update) => tray.subscribe(update))
      onMount(() => tray.connect())
      const get = () => (track(), toElement(tray.render(read())))
      return Object.defineProperty({}, "element", { enumerable: true, get })
    }
    return UploadComponentView(internals, { create })
  }

let count = 0

/**
 * `export const useUploader = generateUseUploader<typeof router>()`: state, actions and props for your own markup.
 *
 * Call it while a component is created, and read from its result, `uploader.files`: destructured values do not update.
 * Options that change are given as a function: `useUploader("photos", () => ({ disabled }))`.
 */
export const generateUseUploader = <Router extends TypedFileRouter = UntypedFileRouter>(
  options?: UploadSetupOptions,
) => {
  const setup = createUploadSetup<Router>(options)
  return <Slug extends keyof Router & string>(
    endpoint: Slug | (() => Slug),
    options: UseUploaderOptions<Router, Slug> | (() => UseUploaderOptions<Router, Slug>) = {},
  ): UploadHandle<Router[Slug], ElementProps> => {
    const read = () => ({
      ...(typeof options === "function" ? options() : options),
      endpoint: typeof endpoint === "function" ? endpoint() : endpoint,
    })
    const id = untrack(read).id ?? `sluice-${++count}`
    const { component, follow } = attach(
      setup,
      headless,
      read as unknown as () => UploadComponentProps<Router, Slug, unknown>,
      id,
    )
    const { getState } = component
    const names = Object.keys(getState()) as Array<keyof UploadState>
    return Object.defineProperties(toActions(component), {
      ...Object.fromEntries(names.map((name) => [name, follow(() => getState()[name])])),
      parts: follow(() => mapParts(component.parts(), toProps)),
    }) as UploadHandle<Router[Slug], ElementProps>
  }
}

/**
 * Seeds the routes' configuration while rendering, on the server and in the page: put it above the first component, for
 * example in `+layout.svelte`. It seeds what is below it in the component that it stands in.
 */
export const RouteConfigSeed: Component<{
  readonly routes: ReadonlyArray<RouteDescription>
  readonly url?: string | undefined
}> = (_internals, { routes, url }) => {
  const tree = readTree()
  const seeds = addRouteSeed(tree?.seeds, routes, url)
  // It has no context of its own: this is that of the component that it stands in.
  tree?.contexts?.set(seedsKey, seeds)
  return {}
}
