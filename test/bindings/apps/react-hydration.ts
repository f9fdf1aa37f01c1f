import { createElement as h, Fragment, StrictMode } from "react"
import { hydrateRoot } from "react-dom/client"
import {
  generateUploadButton,
  generateUploadDropzone,
  RouteConfigSeed,
  type RouteDescription,
} from "../../../adapters/react.ts"
import type { router } from "./router.ts"

const UploadButton = generateUploadButton<typeof router>()
const UploadDropzone = generateUploadDropzone<typeof router>()

/** The same page on the server and in the browser. */
export const createPage = (routes?: ReadonlyArray<RouteDescription>) =>
  h(
    StrictMode,
    {},
    routes && h(RouteConfigSeed, { routes }),
    h(UploadButton<"avatar">, { endpoint: "avatar", className: "mine", appearance: { button: "big" } }),
    h(UploadDropzone<"photos">, {
      endpoint: "photos",
      appearance: { container: { fontSize: "20px", "--mine": 1 } },
      content: { label: ({ files }) => h(Fragment, {}, h("b", {}, `${files.length} files`)) },
    }),
  )

if (typeof document !== "undefined") {
  const { routes } = globalThis as unknown as { routes: ReadonlyArray<RouteDescription> }
  hydrateRoot(document.getElementById("root")!, createPage(routes))
}
