import { createPictureTexts } from "./picture-texts.ts"
import { cropChosen } from "./crop-chosen.ts"
import { toMainId } from "../page/element-ids.ts"
import { sayProcessing } from "../texts/say-processing.ts"
import { isActive, isProcessing, type UploadItem } from "../controller/upload-state.ts"
import type { ComponentKind, DescribeComponent } from "../markup/component.ts"
import { describe, type Markup, type Part } from "../markup/markup.ts"

const isOnItsWay = (item: UploadItem): boolean => isActive(item) || item.status === "picked" || item.status === "paused"

/** A text in which a name keeps its own direction of text. */
const isolateName = (text: string, name: string): ReadonlyArray<Markup | string> => {
  const at = text.indexOf(name)
  return at < 0
    ? [text]
    : [text.slice(0, at), describe("bdi", "file", {}, [name]), text.slice(at + name.length)].filter(
        (part) => part !== "",
      )
}

/** A round button with the picture; its actions are next to it. */
const describeUploadAvatar: DescribeComponent = (component) => {
  const { controller, state, texts, parts, part, id, config, nameMain, used } = component
  const { status, files, routeConfig, isReady, progress, summary } = state
  const say = createPictureTexts(texts)
  const stored = files.findLast(({ key }) => key !== undefined)
  const fresh = files.findLast(isOnItsWay)
  const failed = files.findLast((item) => item.status === "failed")
  // The new picture at once; the old one until the new one can be shown, and where it fails.
  const shown = fresh?.previewUrl === undefined ? (stored ?? fresh) : fresh
  const isRunning = status === "uploading" || status === "paused"
  const name = nameMain(!isReady ? texts.loading() : shown === undefined ? say.choose() : say.change())
  const bar = parts.progress()

  const says =
    used === undefined && status === "uploading"
      ? texts.loading()
      : status === "uploading"
        ? isProcessing(summary)
          ? sayProcessing(texts, summary)
          : texts.progress(progress)
        : isRunning
          ? texts.summary(state)
          : // The photo may be larger than the crop, and the route's limits apply to the crop.
            routeConfig === undefined || config.crop !== false
            ? ""
            : texts.allowed(routeConfig)
  /** Keys say which button replaces which, so that the focus stays. */
  const tool = (key: "go" | "end", name: Parameters<typeof part>[1], does: Part, text: string, label?: string) => ({
    ...part("button", name, { attributes: { ...does.attributes, "aria-label": label }, on: does.on }, [text]),
    key,
  })
  return [
    part(
      "button",
      "button",
      {
        attributes: {
          ...parts.pick.attributes,
          id: toMainId(id),
          "aria-describedby": `${id}-allowed`,
          "data-shape": config.crop ? config.crop.shape : undefined,
          ...name.attributes,
          ...(isRunning && { style: { "--sluice-progress": `${progress}%` } }),
        },
        on: parts.pick.on,
      },
      [
        part(
          "span",
          "filePreview",
          { attributes: { "aria-hidden": "true" } },
          [
            shown?.previewUrl !== undefined &&
              describe("img", "image", {
                attributes: { src: shown.previewUrl, alt: "", decoding: "async" },
                on: { error: () => controller.setPreview(shown.id, undefined) },
              }),
          ],
          shown,
        ),
        part("span", "uploadIcon", { attributes: { "aria-hidden": "true" } }),
        describe("span", "text", { attributes: { "data-sluice": "name" } }, name.children),
      ],
    ),
    isRunning && describe("div", "progress", { ...bar, attributes: { ...bar.attributes, "data-sluice": "progress" } }),
    describe("div", "side", { attributes: { "data-sluice": "side" } }, [
      failed === undefined && state.removed !== undefined && !isRunning && used !== undefined
        ? used.describeRemoved(component, "p", `${id}-allowed`)
        : failed === undefined
          ? part("p", "allowedContent", { attributes: { id: `${id}-allowed` } }, [
              state.isDragActive ? (used?.sayDrop(state, texts, false) ?? texts.dropNow(false)) : says,
            ])
          : part(
              "p",
              "error",
              { attributes: { id: `${id}-allowed` } },
              isolateName(texts.failedFile(failed.name, texts.error(failed.error!)), failed.name),
            ),
      describe("div", "actions", { attributes: { "data-sluice": "actions" } }, [
        !isRunning && used?.describeCamera(component),
        status === "paused" && tool("go", "pauseButton", parts.resume, texts.resume()),
        isRunning && tool("end", "cancelButton", parts.cancel, texts.cancel()),
        status === "picked" &&
          !config.uploadOnSubmit &&
          part("button", "retryButton", parts.upload, [texts.upload(summary.picked)]),
        !isRunning && summary.canRetry > 0 && tool("go", "retryButton", parts.retryAll, texts.retry()),
        !isRunning && (failed ?? fresh) !== undefined
          ? tool("end", "clearButton", parts.clear, texts.clear(), texts.actOn(texts.clear(), (failed ?? fresh)!.name))
          : !isRunning &&
            stored !== undefined &&
            tool(
              "end",
              "clearButton",
              {
                attributes: { type: "button", disabled: state.isDisabled },
                on: { click: () => controller.removeFile(stored.id) },
              },
              say.remove(),
            ),
      ]),
    ]),
  ]
}

/** A picture of a person or thing, which is cropped before it is uploaded. For a route that takes one image. */
export const uploadAvatar: ComponentKind = {
  name: "avatar",
  mode: "auto",
  describe: describeUploadAvatar,
  adapt: cropChosen,
}
