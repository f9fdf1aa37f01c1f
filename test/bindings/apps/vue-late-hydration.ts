import { createSSRApp, h } from "vue"
import {
  createUploads,
  generateUploadButton,
  generateUploadDropzone,
  generateUploadTray,
  RouteConfigSeed,
  type RouteDescription,
} from "../../../bindings/vue.ts"
import type { PagePart } from "../describe-late-hydration.ts"
import type { router } from "./router.ts"

const uploads = createUploads<typeof router>()
const UploadButton = generateUploadButton<typeof router>()
const UploadDropzone = generateUploadDropzone<typeof router>({ uploads })
const UploadTray = generateUploadTray(uploads)

/** A part of the page, the same on the server and in the browser. */
export const createPart = (part: PagePart, routes?: ReadonlyArray<RouteDescription>) => {
  const dropzone = () => h(UploadDropzone<"photos">, { endpoint: "photos", config: { mode: "auto" } })
  const app = createSSRApp(() =>
    part === "early"
      ? dropzone()
      : [
          routes && h(RouteConfigSeed, { routes }),
          h(UploadButton<"avatar">, { endpoint: "avatar" }),
          dropzone(),
          h(UploadTray),
        ],
  )
  app.config.idPrefix = part
  return app
}

if (typeof document !== "undefined") {
  createPart("early").mount("#early")
  window.hydrateLate = () => createPart("late", window.routes).mount("#late")
}
