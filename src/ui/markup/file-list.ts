import type { UploadItem } from "../upload-state.ts"
import { isActive } from "../upload-state.ts"
import type { ComponentView } from "./component.ts"
import { describe, type Markup } from "./markup.ts"
import { listFileActions } from "./parts.ts"

/** `archive.tar.gz` → `gz`: stands where there is no picture. */
const toBadge = (name: string): string => /\.(\w{1,4})$/.exec(name)?.[1] ?? ""

const describeFile = ({ texts, parts, part }: ComponentView, item: UploadItem): Markup => {
  const { file, status, previewUrl } = item
  const hasProgress = isActive(item) || status === "paused"
  const markup = part(
    "li",
    "file",
    { attributes: { "data-state": status } },
    [
      part(
        "span",
        "filePreview",
        { attributes: { "aria-hidden": "true" } },
        [
          previewUrl === undefined
            ? toBadge(file.name)
            : describe("img", "image", {
                attributes: { src: previewUrl, alt: "", decoding: "async", loading: "lazy" },
              }),
        ],
        item,
      ),
      part("span", "fileName", { attributes: { title: file.name } }, [file.name], item),
      part("span", "fileState", {}, [texts.fileState(item)], item),
      describe(
        "span",
        "fileActions",
        { attributes: { "data-sluice": "file-actions" } },
        listFileActions(item).map((action) => ({
          ...part("button", "fileButton", parts.fileAction(item, action), [], item),
          // One button that changes what it does, so that it keeps the focus.
          key: action === "cancel" || action === "remove" ? "end" : "go",
        })),
      ),
      hasProgress && part("div", "fileProgress", parts.progress(item), [], item),
    ],
    item,
  )
  return { ...markup, key: item.id }
}

/** The files of a component, each with its state and what can be done about it. */
export const describeFileList = (component: ComponentView): Markup | undefined => {
  const { state, texts, part } = component
  return state.files.length === 0
    ? undefined
    : part(
        "ul",
        "fileList",
        { attributes: { "aria-label": texts.files() } },
        state.files.map((item) => describeFile(component, item)),
      )
}
