import type { ComponentKind, DescribeComponent } from "./component.ts"
import { describeFileList } from "./file-list.ts"
import { describe } from "./markup.ts"
import { createRowParts } from "./row-parts.ts"

/** An area that takes dropped files and opens the file dialog, the list of files below it. */
const describeUploadDropzone: DescribeComponent = (component) => {
  const { state, texts, parts, part, id, isMultiple, nameMain, used, config } = component
  const { routeConfig, isReady, isDragActive, status } = state
  const { picked } = state.summary
  const removeFailed = used?.describeRemoveFailed(component)
  const name = nameMain(isReady ? texts.choose(isMultiple) : texts.loading())
  const pick = {
    ...parts.pick,
    attributes: { ...parts.pick.attributes, ...name.attributes, "aria-describedby": `${id}-allowed` },
  }
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
          part("button", "button", pick, name.children),
          used?.describeCamera(component),
          part("span", "label", {}, [
            isDragActive
              ? (used?.sayDrop(state, texts, isMultiple) ?? texts.dropNow(isMultiple))
              : describe("span", "drop", { attributes: { "data-sluice": "drop" } }, [texts.drop(isMultiple)]),
          ]),
        ]),
        part("p", "allowedContent", { attributes: { id: `${id}-allowed` } }, [
          routeConfig === undefined ? "" : texts.allowed(routeConfig),
        ]),
      ],
    ),
    used?.describeInterrupted(component),
    used?.describeNotice(component),
    used?.describeSummary(component),
    describeFileList(component),
    used?.describeMissing(component),
    ((picked > 0 && (status === "picked" || !config.uploadOnSubmit)) || removeFailed) &&
      describe("div", "actions", { attributes: { "data-sluice": "actions" } }, [
        // The form's own button does it, and is to be the only one.
        picked > 0 &&
          !config.uploadOnSubmit &&
          describe(
            "button",
            "upload",
            { ...parts.upload, attributes: { ...parts.upload.attributes, "data-sluice": "upload-button" } },
            [texts.upload(picked)],
          ),
        status === "picked" && part("button", "clearButton", parts.clear, [texts.clear()]),
        removeFailed,
      ]),
  ]
}

/** An area for dropping files, and their list. */
export const uploadDropzone: ComponentKind = {
  name: "dropzone",
  mode: "manual",
  hasList: true,
  createRowParts,
  describe: describeUploadDropzone,
}
