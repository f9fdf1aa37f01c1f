import { createSSRApp, h } from "vue"
import { generateUploadButton, generateUploadDropzone, seedRouteConfig } from "../../../adapters/vue.ts"
import type { router } from "./router.ts"

const UploadButton = generateUploadButton<typeof router>()
const UploadDropzone = generateUploadDropzone<typeof router>()

/** The same page on the server and in the browser. */
export const createPage = () =>
  createSSRApp(() => [
    h(UploadButton<"avatar">, { endpoint: "avatar", class: ["mine", { wide: true }], appearance: { button: "big" } }),
    h(
      UploadDropzone<"photos">,
      { endpoint: "photos", appearance: { container: { fontSize: "20px", "--mine": 1 } } },
      { label: ({ state }: { state: { files: Array<unknown> } }) => [h("b", `${state.files.length} files`)] },
    ),
  ])

if (typeof document !== "undefined") {
  seedRouteConfig((globalThis as unknown as { routes: Parameters<typeof seedRouteConfig>[0] }).routes)
  createPage().mount("#root")
}
