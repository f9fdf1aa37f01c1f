import type { TypedFileRoute } from "../../protocol/files/file-route.ts"
import type { UploadComponent } from "./component.ts"
import type { Part } from "./markup.ts"
import type { UploadParts } from "./parts.ts"
import type { UploadController } from "../controller/upload-controller.ts"
import type { UploadItem, UploadState } from "../controller/upload-state.ts"

/** The parts of a component as props for a framework. */
export type MappedParts<Props> = {
  readonly [name in keyof UploadParts]: UploadParts[name] extends Part | undefined
    ? Props | Extract<UploadParts[name], undefined>
    : UploadParts[name] extends (...args: infer Args) => Part
      ? (...args: Args) => Props
      : UploadParts[name]
}

/** The result of a hook: the state, the actions, and the props for your own elements. */
export type UploadHandle<Route extends TypedFileRoute<any>, Props> = UploadState<Route> &
  Omit<
    UploadController<Route>,
    "getState" | "subscribe" | "connect" | "setOptions" | "setDragActive" | "setPreview" | "setNear" | "loaded"
  > & {
    readonly parts: MappedParts<Props>
  }

/** Turns every part into props for a framework. */
export const mapParts = <Props>(parts: UploadParts, toProps: (part: Part) => Props): MappedParts<Props> => ({
  ...(Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, typeof part === "object" ? toProps(part as Part) : part]),
  ) as unknown as MappedParts<Props>),
  progress: (item?: UploadItem<any>) => toProps(parts.progress(item)),
  fileHandle: (item: UploadItem<any>) => toProps(parts.fileHandle(item)),
  fileRename: (item: UploadItem<any>) => toProps(parts.fileRename(item)),
  fileAction: (...args: Parameters<UploadParts["fileAction"]>) => toProps(parts.fileAction(...args)),
})

/** The actions of a component: the same functions as long as it is the same component. */
export type UploadActions<Route extends TypedFileRoute<any>> = Omit<
  UploadHandle<Route, unknown>,
  keyof UploadState | "parts"
>

/** The actions of a component. */
export const toActions = <Route extends TypedFileRoute<any>>(
  component: UploadComponent<Route>,
): UploadActions<Route> => {
  const {
    getState,
    subscribe,
    connect,
    setOptions,
    setDragActive,
    setPreview,
    setNear,
    loaded,
    parts,
    problem,
    render,
    ...actions
  } = component
  return actions
}
