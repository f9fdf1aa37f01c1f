import { isByFinger } from "../page/by-finger.ts"
import type { CropOptions } from "./crop-options.ts"
import { type Crop, moveCrop, startCrop, toMaxZoom, toPosition, toZoom, zoomCrop } from "./crop-view.ts"
import type { Picture } from "./decode-picture.ts"
import { listenToStage } from "./listen-to-stage.ts"
import type { PictureTexts } from "./picture-texts.ts"

interface DialogOptions {
  /** Id of the component. */
  readonly id: string
  readonly options: CropOptions
  readonly say: PictureTexts
  readonly cancel: string
  /** Closes the dialog. */
  readonly signal: AbortSignal
}

/** How long after the last key the position is announced, ms. */
const quiet = 500

const make = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>>,
  ...children: ReadonlyArray<Node | string>
): HTMLElementTagNameMap[Tag] => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

const makeButton = (name: string, text: string, onClick: () => void, label?: string) => {
  const button = make(
    "button",
    { type: "button", "data-sluice": name, ...(label !== undefined && { "aria-label": label, title: label }) },
    text,
  )
  button.addEventListener("click", onClick)
  return button
}

/** Events in the dialog are not for the form or the elements around it. */
const own = ["click", "keydown", "keyup", "input", "change", "paste", "focusin", "wheel"] as const

/**
 * Shows a picture in a modal dialog, and lets the user choose a square of it: by dragging, by wheel or two fingers, by
 * keys, by a tap on the point that should be in the middle, by a slider.
 *
 * @param parent the component: the dialog inherits its colours, its font and its direction
 * @returns the square; undefined where the user closed the dialog without one
 */
export const askForCrop = (
  parent: Element,
  picture: Picture,
  { id, options, say, cancel, signal }: DialogOptions,
): Promise<Crop | undefined> => {
  const { promise, resolve } = Promise.withResolvers<Crop | undefined>()
  const maxZoom = toMaxZoom(picture, options.size ?? 512)
  let crop = startCrop(picture)
  let frame: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const canvas = make("canvas", { "aria-hidden": "true" })
  const [titleId, hintId] = [`${id}-crop-title`, `${id}-crop-hint`]
  const stage = make(
    "div",
    {
      "data-sluice": "crop-stage",
      "data-shape": options.shape ?? "round",
      tabindex: "0",
      autofocus: "",
      // Arrow keys are for the picture, even while a screen reader is running.
      role: "application",
      "aria-label": say.stage(),
      "aria-describedby": hintId,
    },
    canvas,
  )
  const slider = make("input", {
    type: "range",
    min: "0",
    max: "100",
    value: "0",
    "aria-label": say.zoom(),
    "data-sluice": "crop-slider",
  })
  const status = make("p", { role: "status", "data-sluice": "status" })

  const draw = () => {
    frame = undefined
    const side = Math.max(1, Math.round(stage.clientWidth * (globalThis.devicePixelRatio || 1)))
    if (canvas.width !== side) canvas.width = canvas.height = side
    const context = canvas.getContext("2d")!
    context.imageSmoothingQuality = "high"
    context.clearRect(0, 0, side, side)
    context.drawImage(picture.source, crop.x, crop.y, crop.side, crop.side, 0, 0, side, side)
  }
  const show = (next: Crop) => {
    crop = next
    const zoom = toZoom(picture, crop)
    slider.value = String(Math.round((Math.log(zoom) / Math.log(maxZoom)) * 100))
    slider.setAttribute("aria-valuetext", say.zoomed(Math.round(zoom * 100)))
    frame ??= requestAnimationFrame(draw)
  }
  const sayLater = (toText: () => string) => {
    clearTimeout(timer)
    timer = setTimeout(() => (status.textContent = toText()), quiet)
  }
  const view = {
    moveBy: (x: number, y: number) => {
      show(moveCrop(picture, crop, { x, y }))
      const { across, down } = toPosition(picture, crop)
      sayLater(() => say.moved(across, down))
    },
    zoomBy: (factor: number, at?: { readonly x: number; readonly y: number }) => {
      show(zoomCrop(picture, crop, toZoom(picture, crop) * factor, maxZoom, at))
      sayLater(() => say.zoomed(Math.round(toZoom(picture, crop) * 100)))
    },
    finish: () => end(crop),
  }
  slider.addEventListener("input", () => {
    const zoom = maxZoom ** (Number(slider.value) / 100)
    show(zoomCrop(picture, crop, zoom, maxZoom))
  })

  const dialog = make(
    "dialog",
    { "data-sluice": "crop", "aria-labelledby": titleId },
    make("h2", { id: titleId, "data-sluice": "crop-title" }, say.title()),
    stage,
    make("p", { id: hintId, "data-sluice": "crop-hint" }, isByFinger() ? say.hintByFinger() : say.hint()),
    make(
      "div",
      { "data-sluice": "crop-zoom" },
      makeButton("crop-zoom-out", "−", () => view.zoomBy(1 / 1.2), say.zoomOut()),
      slider,
      makeButton("crop-zoom-in", "+", () => view.zoomBy(1.2), say.zoomIn()),
    ),
    make(
      "div",
      { "data-sluice": "crop-actions" },
      makeButton("crop-cancel", cancel, () => end(undefined)),
      makeButton("upload-button", say.use(), () => end(crop)),
    ),
    status,
  )
  const resized = new ResizeObserver(() => (frame ??= requestAnimationFrame(draw)))

  const onAbort = () => end(undefined)
  const end = (result: Crop | undefined) => {
    signal.removeEventListener("abort", onAbort)
    resized.disconnect()
    clearTimeout(timer)
    if (frame !== undefined) cancelAnimationFrame(frame)
    // Returns the focus to where it was.
    dialog.close()
    dialog.remove()
    canvas.width = canvas.height = 0
    resolve(result)
  }

  for (const type of own) dialog.addEventListener(type, (event) => event.stopPropagation())
  listenToStage(dialog, stage, view)
  dialog.addEventListener("close", () => end(undefined))
  signal.addEventListener("abort", onAbort)
  parent.append(dialog)
  dialog.showModal()
  resized.observe(stage)
  show(crop)
  return promise
}
