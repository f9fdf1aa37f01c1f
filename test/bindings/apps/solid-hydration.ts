import { createComponent } from "solid-js"
import { Dynamic, hydrate } from "solid-js/web"
import { generateUploadButton, generateUploadDropzone, seedRouteConfig } from "../../../adapters/solid.ts"
import type { router } from "./router.ts"

const UploadButton = generateUploadButton<typeof router>()
const UploadDropzone = generateUploadDropzone<typeof router>()

/** The same page on the server and in the browser. */
export const Page = () => [
  createComponent(UploadButton<"avatar">, { endpoint: "avatar", class: "mine", appearance: { button: "big" } }),
  createComponent(UploadDropzone<"photos">, {
    endpoint: "photos",
    appearance: { container: { fontSize: "20px", "--mine": 1 } },
    content: {
      label: (state) =>
        createComponent(Dynamic, {
          component: "b",
          get children() {
            return `${state.files.length} files`
          },
        }),
    },
  }),
]

if (typeof document !== "undefined") {
  seedRouteConfig((globalThis as unknown as { routes: Parameters<typeof seedRouteConfig>[0] }).routes)
  hydrate(Page, document.getElementById("root")!)
}
