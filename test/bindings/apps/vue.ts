import { createApp, defineComponent, h, KeepAlive, ref } from "vue"
import {
  generateUploadAvatar,
  generateUploadButton,
  generateUploadDropzone,
  generateUploadTray,
  generateUseUploader,
} from "../../../bindings/vue.ts"
import { readFixture } from "./fixture.ts"
import type { router } from "./router.ts"

const { component, setup, props, second, uploads, tray, isKept, onNavigate } = readFixture()

const useUploader = generateUseUploader<typeof router>(setup)

const Headless = defineComponent(() => {
  const { endpoint, ...options } = props
  const { parts, files, status, progress, isUploading } = useUploader(endpoint, options)
  return () =>
    h("section", parts.value.target, [
      h("input", parts.value.input),
      h("button", parts.value.pick, "Pick"),
      h("button", parts.value.upload, "Send"),
      h(
        "ul",
        files.value.map(({ id, name, status }) => h("li", { key: id }, `${name}: ${status}`)),
      ),
      h("output", { "data-status": status.value, "data-busy": String(isUploading.value) }, String(progress.value)),
    ])
})

const components = {
  avatar: generateUploadAvatar<typeof router>(setup),
  button: generateUploadButton<typeof router>(setup),
  dropzone: generateUploadDropzone<typeof router>(setup),
}

const UploadTray = uploads && generateUploadTray(uploads)

/** A page that a router keeps: it is taken out of the document, and neither unmounted nor stopped. */
const Kept = defineComponent(
  () => () => (component === "headless" ? h(Headless) : h(components[component]<"photos">, props)),
)
const Elsewhere = defineComponent(() => () => h("p", "Elsewhere"))

const Page = defineComponent(() => {
  const isHere = ref(true)
  onNavigate((is) => (isHere.value = is))
  return () => {
    if (component === "headless") return h(Headless)
    if (isKept) return h(KeepAlive, () => h(isHere.value ? Kept : Elsewhere))
    return [
      ...[props, second].map((given) => (given && isHere.value ? h(components[component]<"photos">, given) : null)),
      UploadTray ? h(UploadTray, tray) : null,
    ]
  }
})

createApp(Page).mount("#root")
