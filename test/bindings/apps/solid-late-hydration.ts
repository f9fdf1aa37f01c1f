import { createComponent } from "solid-js"
import { hydrate } from "solid-js/web"
import {
  createUploads,
  generateUploadButton,
  generateUploadDropzone,
  generateUploadTray,
  RouteConfigSeed,
  type RouteDescription,
} from "../../../bindings/solid.ts"
import type { PagePart } from "../describe-late-hydration.ts"
import type { router } from "./router.ts"

const uploads = createUploads<typeof router>()
const UploadButton = generateUploadButton<typeof router>()
const UploadDropzone = generateUploadDropzone<typeof router>({ uploads })
const UploadTray = generateUploadTray(uploads)

/** A part of the page, the same on the server and in the browser. */
export const createPart = (part: PagePart, routes?: ReadonlyArray<RouteDescription>) => () => {
  const dropzone = () => createComponent(UploadDropzone<"photos">, { endpoint: "photos", config: { mode: "auto" } })
  if (part === "early") return dropzone()
  return [
    routes && createComponent(RouteConfigSeed, { routes }),
    createComponent(UploadButton<"avatar">, { endpoint: "avatar" }),
    dropzone(),
    createComponent(UploadTray, {}),
  ]
}

if (typeof document !== "undefined") {
  const begin = (part: PagePart) =>
    hydrate(createPart(part, window.routes), document.getElementById(part)!, { renderId: part })
  begin("early")
  window.hydrateLate = () => begin("late")
}
