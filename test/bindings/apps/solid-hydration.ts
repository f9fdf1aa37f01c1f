import { createComponent } from "solid-js"
import { Dynamic, hydrate } from "solid-js/web"
import {
  generateUploadAvatar,
  generateUploadButton,
  generateUploadDropzone,
  type RouteDescription,
  RouteConfigSeed,
} from "../../../bindings/solid.ts"
import { picture } from "./picture.ts"
import type { router } from "./router.ts"

const UploadAvatar = generateUploadAvatar<typeof router>()
const UploadButton = generateUploadButton<typeof router>()
const UploadDropzone = generateUploadDropzone<typeof router>()

/** The same page on the server and in the browser. */
export const createPage = (routes?: ReadonlyArray<RouteDescription>) => () => [
  routes && createComponent(RouteConfigSeed, { routes }),
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
  createComponent(UploadAvatar<"avatar">, { endpoint: "avatar", initialFiles: [picture] }),
]

if (typeof document !== "undefined") {
  const { routes } = globalThis as unknown as { routes: ReadonlyArray<RouteDescription> }
  hydrate(createPage(routes), document.getElementById("root")!)
}
