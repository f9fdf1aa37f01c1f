import { toStatusId } from "../page/element-ids.ts"
import type { UploadState } from "../controller/upload-state.ts"
import type { Uploads, UploadsSource, UploadsState } from "./uploads.ts"
import { createDescribePart } from "../markup/looks.ts"
import { describe, type Markup } from "../markup/markup.ts"
import type { TrayPanel } from "./tray-panel.ts"
import type { UploadTrayProps } from "./upload-tray-props.ts"

/** A tray on a page, for a framework to render. */
export interface UploadTray extends UploadsSource {
  readonly setOptions: (props: UploadTrayProps<any>) => void
  /** Call it when the tray is on a page; before that it is empty, as on a server. */
  readonly connect: () => () => void
  /** The markup to render now; `props` where they are newer than those of `setOptions`. */
  readonly render: (props?: UploadTrayProps<any>) => Markup
}

/** Parts of a state that uploads from several routes do not have. */
const blank: Omit<UploadState, keyof UploadsState> = {
  routeConfig: undefined,
  missing: undefined,
  removed: undefined,
  isReady: true,
  isDisabled: false,
  isDragActive: false,
  interrupted: [],
}

/**
 * Makes the tray of `createUploads()`: all uploads in the corner of the page, for a framework to render. Its content
 * is loaded with the first upload.
 *
 * @param id unique in its tree, and the same on the server and in the page
 * @param root that tree, if it is not the document: a shadow root
 */
export const createUploadTray = (
  uploads: Uploads<any>,
  initial: UploadTrayProps<any>,
  id: string,
  root: () => NonElementParentNode = () => document,
): UploadTray => {
  let props = initial
  let isConnected = false
  let isLoading = false
  let panel: TrayPanel | undefined
  let leave: (() => void) | undefined
  /** The state when it was added to the page: later changes are announced. */
  let before = uploads.getServerState() as UploadState
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of listeners) listener()
  }
  let state: UploadState = { ...blank, ...uploads.getServerState() }
  let made: ReadonlyArray<unknown> = []
  const { resumeStore } = uploads.setup.options
  const getState = (): UploadState => {
    const source = props.shows === "elsewhere" ? uploads.unattended : uploads
    const shown = isConnected && panel !== undefined ? source.getState() : uploads.getServerState()
    const left = isConnected ? panel?.left() : undefined
    // A new object also when the tray is folded, because frameworks render by it.
    const of = [shown, left, isConnected && panel?.isFolded()]
    if (of.some((value, index) => value !== made[index])) state = { ...blank, ...shown, ...left }
    made = of
    return state
  }
  const subscribe: UploadsSource["subscribe"] = (listener) => {
    listeners.add(listener)
    const unsubscribe = uploads.subscribe(listener)
    return () => {
      listeners.delete(listener)
      unsubscribe()
    }
  }
  const load = (isWanted = uploads.getState().files.length > 0) => {
    if (isLoading || !isWanted) return
    isLoading = true
    import("./tray-panel.ts").then(
      ({ createTrayPanel }) => {
        panel = createTrayPanel({ uploads, id, root, getState, subscribe, tell, props: () => props })
        if (isConnected) leave = panel.connect(before)
        tell()
      },
      () => {
        // Without a network, for example: retried at the next change.
        isLoading = false
      },
    )
  }

  return {
    getState,
    subscribe,
    setOptions: (next) => {
      props = next
    },
    connect: () => {
      isConnected = true
      before = uploads.unattended.getState() as UploadState
      leave = panel?.connect(before)
      const unsubscribe = uploads.subscribe(() => load())
      load()
      const look = () => {
        if (panel !== undefined) return
        resumeStore?.list().then(
          ({ length }) => isConnected && load(length > 0),
          () => {},
        )
      }
      look()
      // Also once it is known whose uploads they are.
      const unattend = uploads.onAttend(look)
      tell()
      return () => {
        unsubscribe()
        unattend()
        leave?.()
        leave = undefined
        isConnected = false
        tell()
      }
    },
    render: (newer = props) => {
      props = newer
      const now = getState()
      const part = createDescribePart(props, now, props.cn ?? ((...classes) => classes.join(" ")))
      return part("div", "container", { attributes: { id, "data-component": "tray", "data-state": now.status } }, [
        now.files.length + now.interrupted.length > 0 && panel?.describe(part),
        describe("p", "status", {
          attributes: { id: toStatusId(id), role: "status", "data-sluice": "status" },
        }),
      ])
    },
  }
}
