import { toExtension, toFamily } from "../files/file-family.ts"
import { isLongList, isNearRow } from "../rows/long-list.ts"
import type { findPlace } from "../controller/removals.ts"
import type { canRename } from "../files/rename-file.ts"
import type { UploadItem } from "../controller/upload-state.ts"
import { isActive } from "../controller/upload-state.ts"
import { toShownName } from "../files/shown-name.ts"
import { splitName } from "../files/split-name.ts"
import type { ComponentView } from "./component-view.ts"
import { describe, type Markup } from "./markup.ts"
import type { describeCountdown, isToldAbove } from "./notice.ts"
import type { keepRows } from "./kept-rows.ts"
import type { describeRemoved } from "./removed-line.ts"
import { listFileActions } from "./row-parts.ts"

/** What a list of files is described from. */
interface ListView extends ComponentView {
  /** How its rows are described once it was used; undefined before. */
  readonly used:
    | {
        readonly canRename: typeof canRename
        readonly describeCountdown: typeof describeCountdown
        readonly describeRemoved: typeof describeRemoved
        readonly findPlace: typeof findPlace
        readonly isToldAbove: typeof isToldAbove
        readonly keepRows: typeof keepRows
      }
    | undefined
}

/** A drawing and a strip are shown completely; of other pictures the middle is. */
const isWhole = ({ type, previewSize: { width, height } = { width: 1, height: 1 } }: UploadItem): boolean =>
  type.startsWith("image/svg") || Math.max(width / height, height / width) > 2.5

/** A picture of the file, otherwise the letters of its extension; the stylesheet has an icon for a file without one. */
const describePreview = ({ part, controller }: ComponentView, item: UploadItem): Markup => {
  const { name, type, previewUrl } = item
  return part(
    "span",
    "filePreview",
    {
      attributes: {
        "aria-hidden": "true",
        "data-family": previewUrl === undefined ? toFamily(name, type) : undefined,
      },
    },
    [
      previewUrl === undefined
        ? toExtension(name).slice(0, 4)
        : describe("img", "image", {
            attributes: {
              src: previewUrl,
              alt: "",
              decoding: "async",
              loading: "lazy",
              "data-fit": isWhole(item) ? "whole" : undefined,
            },
            on: { error: () => controller.setPreview(item.id, undefined) },
          }),
    ],
    item,
  )
}

/** A name in its own direction of text, in two pieces where it is long: the first one is shortened when there is no room. */
export const describeName = (name: string): Markup =>
  describe(
    "bdi",
    "name",
    {},
    splitName(name).map((piece, index) => describe("span", `${index}`, {}, [piece!])),
  )

/** The folders of a path, `holiday/2024/`. */
const toFolder = (path: string): string => toShownName(path.slice(0, path.lastIndexOf("/") + 1))

const describeFile = (component: ListView, item: UploadItem): Markup => {
  const { texts, parts, part, validity, blocking, used } = component
  const { name, path, status } = item
  const hasProgress = isActive(item) || status === "paused"
  const markup = part(
    "li",
    "file",
    { attributes: { "data-state": status, "data-file": item.id, "data-held": item.isHeld ? "" : undefined } },
    [
      // At the beginning of the row, so that all of them are in one column.
      used !== undefined &&
        component.config.reorder === true &&
        component.state.files.length > 1 &&
        part("button", "fileHandle", parts.fileHandle(item), [], item),
      describePreview(component, item),
      path !== undefined &&
        describe("span", "path", { attributes: { "data-sluice": "file-path" } }, [
          describe("bdi", "path", {}, [toFolder(path)]),
        ]),
      part("span", "fileName", { attributes: { title: name } }, [describeName(name)], item),
      part(
        "span",
        "fileState",
        {},
        [
          used?.isToldAbove(component, item) ? texts.notUploaded() : texts.fileState(item),
          ...[used?.describeCountdown(component, item)].filter((child) => child !== undefined),
        ],
        item,
      ),
      describe("span", "fileActions", { attributes: { "data-sluice": "file-actions" } }, [
        component.config.rename === true &&
          used?.canRename(item) &&
          part("button", "fileRename", parts.fileRename(item), [], item),
        ...listFileActions(item).map((action) => ({
          ...part("button", "fileButton", parts.fileAction(item, action), [], item),
          // One button that changes what it does, so that it keeps the focus.
          key: action === "cancel" || action === "remove" ? "end" : "go",
        })),
      ]),
      hasProgress && part("div", "fileProgress", parts.progress(item), [], item),
      item === blocking && validity,
    ],
    item,
  )
  return { ...markup, key: item.id }
}

/**
 * A row outside the visible part, so that a thousand rows cost a page little. It keeps its place, and its name for searches;
 * users, and their browsers' search, also look for why a file has failed.
 */
const describeFar = ({ part, texts }: ComponentView, item: UploadItem): Markup => ({
  ...part(
    "li",
    "file",
    { attributes: { "data-state": item.status, "data-file": item.id, "data-far": "" } },
    [item.status === "failed" ? `${item.name} ${texts.fileState(item)}` : item.name],
    item,
  ),
  key: item.id,
})

/** The files of a component, each with its state and its actions. */
export const describeFileList = (component: ListView): Markup | undefined => {
  const { id, state, texts, part, used, isThin, blocking } = component
  const { files, removed, near } = state
  if (files.length === 0 && removed === undefined) return undefined
  const isWhole =
    isThin && isLongList(files)
      ? (item: UploadItem, index: number) => item === blocking || isNearRow(item, index, near?.get(id))
      : () => true
  const keep = used?.keepRows(component)
  const rows = files.map((item, index) => {
    const isFar = !isWhole(item, index)
    const describeAnew = isFar ? describeFar : describeFile
    return keep ? keep(item, isFar, describeAnew) : describeAnew(component, item)
  })
  const place = removed && used?.findPlace(files, removed.files[0]?.id, removed.order)
  if (place !== undefined) rows.splice(place, 0, used!.describeRemoved(component, "li"))
  return part(
    "ul",
    "fileList",
    {
      attributes: {
        // Safari does not treat a list without markers as a list.
        role: "list",
        "aria-label": texts.files(),
        // From this length on the stylesheet lets it scroll, and Firefox makes what scrolls a stop of the Tab key.
        tabindex: rows.length > 5 && isThin ? -1 : undefined,
      },
    },
    rows,
  )
}
