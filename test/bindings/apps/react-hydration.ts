import { createElement as h, Fragment, StrictMode } from "react"
import { hydrateRoot } from "react-dom/client"
import {
  generateUploadAvatar,
  createUploads,
  generateUploadButton,
  generateUploadDropzone,
  generateUploadTray,
  RouteConfigSeed,
  type RouteDescription,
} from "../../../bindings/react.ts"
import { picture } from "./picture.ts"
import type { router } from "./router.ts"

const UploadAvatar = generateUploadAvatar<typeof router>()
const UploadButton = generateUploadButton<typeof router>()
const uploads = createUploads<typeof router>()
const UploadDropzone = generateUploadDropzone<typeof router>({ uploads })
const UploadTray = generateUploadTray(uploads)

/** The same page on the server and in the browser. */
export const createPage = (routes?: ReadonlyArray<RouteDescription>) => {
  const page = h(
    Fragment,
    {},
    h(UploadButton<"avatar">, { endpoint: "avatar", className: "mine", appearance: { button: "big" } }),
    h(UploadDropzone<"photos">, {
      endpoint: "photos",
      appearance: { container: { fontSize: "20px", "--mine": 1 } },
      content: { label: ({ files }) => h(Fragment, {}, h("b", {}, `${files.length} files`)) },
    }),
    h(UploadAvatar<"avatar">, { endpoint: "avatar", initialFiles: [picture] }),
    h(UploadTray),
  )
  return h(StrictMode, {}, routes ? h(RouteConfigSeed, { routes, children: page }) : page)
}

if (typeof document !== "undefined") {
  const { routes } = globalThis as unknown as { routes: ReadonlyArray<RouteDescription> }
  hydrateRoot(document.getElementById("root")!, createPage(routes))
}
