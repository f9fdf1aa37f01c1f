import { toMainId } from "../page/element-ids.ts"
import type { ComponentKind, DescribeComponent } from "./component.ts"
import { describeIdleButton } from "./idle-button.ts"
import { describe } from "./markup.ts"

/** One button for everything: choose, upload, resume; pause and cancel are next to it while files are uploading. */
const describeUploadButton: DescribeComponent = (component) => {
  const { state, texts, part, id, isMultiple, nameMain, used } = component
  const { routeConfig, progress, isDragActive } = state
  const face = used?.describeButtonInUse(component) ?? describeIdleButton(component)
  const { does, says, tools = [], isRunning, line, failure, removed } = face
  const name = nameMain(says)
  return [
    describe("div", "actions", { attributes: { "data-sluice": "actions" } }, [
      part(
        "button",
        "button",
        {
          attributes: {
            ...does.attributes,
            id: toMainId(id),
            "aria-describedby": `${id}-allowed`,
            ...name.attributes,
            ...(isRunning && { style: { "--sluice-progress": `${progress}%` } }),
          },
          on: does.on,
        },
        name.children,
      ),
      !isRunning && used?.describeCamera(component),
      ...tools,
    ]),
    failure !== undefined
      ? part("p", "error", { attributes: { id: `${id}-allowed` } }, [failure])
      : (removed ??
        part(
          "p",
          "allowedContent",
          { attributes: { id: `${id}-allowed` } },
          isDragActive
            ? [used?.sayDrop(state, texts, isMultiple) ?? texts.dropNow(isMultiple)]
            : (line ?? [routeConfig === undefined ? "" : texts.allowed(routeConfig)]),
        )),
  ]
}

/** A button, with one line below it. */
export const uploadButton: ComponentKind = {
  name: "button",
  mode: "auto",
  previews: "none",
  describe: describeUploadButton,
}
