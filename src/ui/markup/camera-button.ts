import { toCameraAccept } from "../files/camera-accept.ts"
import type { ComponentView } from "./component-view.ts"
import type { Markup } from "./markup.ts"

/** Opens the camera of a phone; the stylesheet hides it where there is a mouse. */
export const describeCamera = ({ state, texts, parts, part }: ComponentView): Markup | undefined =>
  parts.camera &&
  part("button", "cameraButton", parts.camera, [texts.capture(toCameraAccept(state.routeConfig!)?.kind ?? "photo")])
