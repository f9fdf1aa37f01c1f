import { toMainId } from "../keep-focus.ts"
import type { DescribeComponent } from "./component.ts"
import { describe } from "./markup.ts"

/** One button for everything: choose, upload, resume; pause and cancel beside it while files are on their way. */
export const describeUploadButton: DescribeComponent = ({ state, texts, parts, part, id, isMultiple }) => {
  const { status, routeConfig, isReady } = state
  const picked = state.files.filter((item) => item.status === "picked").length
  const failed = state.files.find((item) => item.status === "failed")
  const main = {
    idle: { does: parts.pick, says: isReady ? texts.choose(isMultiple) : texts.loading() },
    picked: { does: parts.upload, says: texts.upload(picked) },
    uploading: {
      does: { attributes: { type: "button", "aria-disabled": true }, on: {} },
      says: texts.progress(state.progress),
    },
    paused: { does: parts.resume, says: texts.resume() },
    done: { does: parts.pick, says: texts.choose(isMultiple) },
    failed: failed?.canRetry
      ? { does: parts.resume, says: texts.retry() }
      : { does: parts.pick, says: texts.choose(isMultiple) },
  }[status]
  const isRunning = status === "uploading" || status === "paused"
  const tool = (
    name: "pauseButton" | "cancelButton" | "clearButton",
    does: typeof parts.pause,
    text: string,
    action: string,
  ) =>
    part("button", name, {
      attributes: { ...does.attributes, "aria-label": text, title: text, "data-action": action },
      on: does.on,
    })
  return [
    describe("div", "actions", { attributes: { "data-sluice": "actions" } }, [
      part(
        "button",
        "button",
        {
          attributes: {
            ...main.does.attributes,
            id: toMainId(id),
            "aria-describedby": `${id}-allowed`,
            ...(isRunning && { style: { "--sluice-progress": `${state.progress}%` } }),
          },
          on: main.does.on,
        },
        [main.says],
      ),
      status === "uploading" && tool("pauseButton", parts.pause, texts.pause(), "pause"),
      isRunning && tool("cancelButton", parts.cancel, texts.cancel(), "cancel"),
      (status === "picked" || status === "failed") && tool("clearButton", parts.clear, texts.clear(), "remove"),
    ]),
    status === "failed" && failed?.error !== undefined
      ? part("p", "error", { attributes: { id: `${id}-allowed` } }, [
          `${failed.file.name}: ${texts.error(failed.error)}`,
        ])
      : part("p", "allowedContent", { attributes: { id: `${id}-allowed` } }, [
          status === "done" ? texts.announce(state) : routeConfig === undefined ? "" : texts.allowed(routeConfig),
        ]),
  ]
}
