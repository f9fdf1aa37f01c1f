import { createElement as h, Fragment } from "react"
import { hydrateRoot } from "react-dom/client"
import {
  createUploads,
  generateUploadButton,
  generateUploadDropzone,
  generateUploadTray,
  RouteConfigSeed,
  type RouteDescription,
} from "../../../bindings/react.ts"
import type { PagePart } from "../describe-late-hydration.ts"
import type { router } from "./router.ts"

const uploads = createUploads<typeof router>()
const UploadButton = generateUploadButton<typeof router>()
const UploadDropzone = generateUploadDropzone<typeof router>({ uploads })
const UploadTray = generateUploadTray(uploads)

/** A part of the page, the same on the server and in the browser. */
export const createPart = (part: PagePart, routes?: ReadonlyArray<RouteDescription>) => {
  const dropzone = h(UploadDropzone<"photos">, { endpoint: "photos", config: { mode: "auto" } })
  if (part === "early") return dropzone
  const parts = h(Fragment, {}, h(UploadButton<"avatar">, { endpoint: "avatar" }), dropzone, h(UploadTray))
  return routes ? h(RouteConfigSeed, { routes, children: parts }) : parts
}

if (typeof document !== "undefined") {
  const begin = (part: PagePart) =>
    hydrateRoot(document.getElementById(part)!, createPart(part, window.routes), { identifierPrefix: part })
  begin("early")
  window.hydrateLate = () => begin("late")
}
