import { createComponent, createSignal, onCleanup } from "solid-js"
import { Dynamic, render } from "solid-js/web"
import { generateUploadDropzone, type UploadProps } from "../../../bindings/solid.ts"
import type { router } from "./router.ts"

const UploadDropzone = generateUploadDropzone<typeof router>()

const [endpoint, setEndpoint] = createSignal<"photos" | "anything">("photos")
const [isDisabled, setDisabled] = createSignal(false)
const made: Record<string, number> = {}
const gone: Record<string, number> = {}

/** What the compiler makes of `<b>{text()}</b>`; counts how often it is made. */
const bold = (name: string, text: () => string) => {
  made[name] = (made[name] ?? 0) + 1
  onCleanup(() => (gone[name] = (gone[name] ?? 0) + 1))
  return createComponent(Dynamic, {
    component: "b",
    get children() {
      return text()
    },
  })
}

render(
  () =>
    createComponent(UploadDropzone<"photos" | "anything">, {
      get endpoint() {
        return endpoint()
      },
      get disabled() {
        return isDisabled()
      },
      // Made by a getter, as the compiler does: whoever reads it twice has two.
      get content(): UploadProps<typeof router, "photos">["content"] {
        return {
          button: bold("node", () => "Choose"),
          label: (state) => bold("function", () => `${state.files.length} files`),
          fileName: (_, item) => bold("item", () => `${item!.name} ${item!.status} ${item!.progress}`),
          fileState: (_, item) => (item!.status === "done" ? "Mine: done" : undefined),
        }
      },
    }),
  document.getElementById("root")!,
)

Object.assign(window, { setEndpoint, setDisabled, made, gone })
