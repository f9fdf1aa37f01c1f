import type { DescribeComponent } from "./component.ts"
import { describeFileList } from "./file-list.ts"
import { describeInterrupted } from "./interrupted-list.ts"
import { describe } from "./markup.ts"

/** An area that takes dropped files and opens the file dialog, the list of files below it. */
export const describeUploadDropzone: DescribeComponent = (component) => {
  const { state, texts, parts, part, id, isMultiple } = component
  const { routeConfig, isReady, isDragActive, status } = state
  const picked = state.files.filter((item) => item.status === "picked").length
  const pick = { ...parts.pick, attributes: { ...parts.pick.attributes, "aria-describedby": `${id}-allowed` } }
  const isClickable = isReady && !state.isDisabled
  return [
    part(
      "div",
      "area",
      {
        on: {
          click: (event) => {
            if (isClickable && (event.target as Element).closest("button") === null) parts.openPicker()
          },
        },
      },
      [
        part("span", "uploadIcon", { attributes: { "aria-hidden": "true" } }),
        describe("p", "call", { attributes: { "data-sluice": "call" } }, [
          part("button", "button", pick, [isReady ? texts.choose(isMultiple) : texts.loading()]),
          part("span", "label", {}, [isDragActive ? texts.dropNow(isMultiple) : texts.drop(isMultiple)]),
        ]),
        part("p", "allowedContent", { attributes: { id: `${id}-allowed` } }, [
          routeConfig === undefined ? "" : texts.allowed(routeConfig),
        ]),
      ],
    ),
    describeInterrupted(component),
    describeFileList(component),
    (picked > 0 || status === "uploading" || status === "paused") &&
      describe("div", "actions", { attributes: { "data-sluice": "actions" } }, [
        picked > 0 &&
          describe(
            "button",
            "upload",
            { ...parts.upload, attributes: { ...parts.upload.attributes, "data-sluice": "upload-button" } },
            [texts.upload(picked)],
          ),
        status === "uploading" && part("button", "pauseButton", parts.pause, [texts.pause()]),
        status === "paused" && part("button", "pauseButton", parts.resume, [texts.resume()]),
        (status === "uploading" || status === "paused") &&
          part("button", "cancelButton", parts.cancel, [texts.cancel()]),
        status === "picked" && part("button", "clearButton", parts.clear, [texts.clear()]),
      ]),
  ]
}
