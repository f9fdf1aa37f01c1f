import { toCameraAccept } from "../files/camera-accept.ts"
import { button, type MoreParts, type PartsOptions } from "./parts.ts"
import { createRowParts } from "./row-parts.ts"
import { sayRemoved } from "./removed-line.ts"

/** Makes the parts that only components in use have. */
export const createMoreParts = ({
  controller,
  state,
  texts,
  config,
  id,
  root,
}: Omit<PartsOptions, "used" | "resumeStore" | "createRowParts">): MoreParts => {
  const { routeConfig, isDisabled, isReady } = state
  const isOff = isDisabled || !isReady
  const cameraId = `${id}-camera`
  const camera = config.capture === undefined || routeConfig === undefined ? undefined : toCameraAccept(routeConfig)
  return {
    ...createRowParts({ controller, state, texts }),
    cameraInput: camera && {
      attributes: {
        id: cameraId,
        type: "file",
        hidden: true,
        accept: camera.accept,
        capture: config.capture,
        "aria-label": texts.capture(camera.kind),
        disabled: isOff,
      },
      on: {
        change: (event) => {
          const input = event.target as HTMLInputElement
          controller.addFiles([...(input.files ?? [])])
          input.value = ""
        },
      },
    },
    camera:
      camera && button(() => (root().getElementById(cameraId) as HTMLElement | null)?.click(), { disabled: isOff }),
    removeFailed: button(() => controller.clear(["failed"])),
    undo: button(() => controller.undo(), {
      disabled: isDisabled || state.removed === undefined,
      "aria-label": state.removed && texts.labelled(texts.undo(), sayRemoved(state.removed, texts)),
      "data-undo": "",
    }),
    fileRename: (item) => ({
      attributes: {
        type: "button",
        "aria-label": texts.actOn(texts.rename(), item.name),
        title: texts.rename(),
        disabled: isDisabled,
        "data-action": "rename",
      },
      on: {},
    }),
    fileHandle: (item) => ({
      attributes: {
        type: "button",
        "aria-label": texts.actOn(texts.move(), item.name),
        "aria-pressed": "false",
        title: texts.move(),
        disabled: isDisabled,
        "data-action": "move",
      },
      on: {},
    }),
  }
}
