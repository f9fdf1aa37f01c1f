import { createSSRApp, h } from "vue"
import {
  generateUploadAvatar,
  generateUploadButton,
  generateUploadDropzone,
  type RouteDescription,
  RouteConfigSeed,
} from "../../../bindings/vue.ts"
import { picture } from "./picture.ts"
import type { router } from "./router.ts"

const UploadAvatar = generateUploadAvatar<typeof router>()
const UploadButton = generateUploadButton<typeof router>()
const UploadDropzone = generateUploadDropzone<typeof router>()

/** The same page on the server and in the browser. */
export const createPage = (routes?: ReadonlyArray<RouteDescription>) =>
  createSSRApp(() => [
    routes && h(RouteConfigSeed, { routes }),
    h(UploadButton<"avatar">, { endpoint: "avatar", class: ["mine", { wide: true }], appearance: { button: "big" } }),
    h(
      UploadDropzone<"photos">,
      { endpoint: "photos", appearance: { container: { fontSize: "20px", "--mine": 1 } } },
      { label: ({ state }: { state: { files: Array<unknown> } }) => [h("b", `${state.files.length} files`)] },
    ),
    h(UploadAvatar<"avatar">, { endpoint: "avatar", initialFiles: [picture] }),
  ])

if (typeof document !== "undefined") {
  const { routes } = globalThis as unknown as { routes: ReadonlyArray<RouteDescription> }
  createPage(routes).mount("#root")
}
