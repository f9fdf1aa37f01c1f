import { createApp, defineComponent, h } from "vue"
import { generateUploadButton, generateUploadDropzone, generateUseUploader } from "../../../adapters/vue.ts"
import { readFixture } from "./fixture.ts"
import type { router } from "./router.ts"

const { component, setup, props } = readFixture()

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
        files.value.map(({ id, file, status }) => h("li", { key: id }, `${file.name}: ${status}`)),
      ),
      h("output", { "data-status": status.value, "data-busy": String(isUploading.value) }, String(progress.value)),
    ])
})

const components = {
  button: generateUploadButton<typeof router>(setup),
  dropzone: generateUploadDropzone<typeof router>(setup),
}

createApp(component === "headless" ? Headless : h(components[component]<"photos">, props)).mount("#root")
