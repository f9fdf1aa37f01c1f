import { createElement as h, type ReactElement } from "react"
import { createRoot } from "react-dom/client"
import { generateUploadButton, generateUploadDropzone, generateUseUploader } from "../../../adapters/react.ts"
import { type Fixture, readFixture } from "./fixture.ts"
import type { router } from "./router.ts"

const { component, setup, props } = readFixture()

const useUploader = generateUseUploader<typeof router>(setup)

const Headless = ({ endpoint, ...options }: Fixture["props"]) => {
  const { parts, files, status, progress, isUploading } = useUploader(endpoint, options)
  return h(
    "section",
    parts.target,
    h("input", parts.input),
    h("button", parts.pick, "Pick"),
    h("button", parts.upload, "Send"),
    h("ul", {}, ...files.map(({ id, file, status }) => h("li", { key: id }, `${file.name}: ${status}`))),
    h("output", { "data-status": status, "data-busy": String(isUploading) }, String(progress)),
  )
}

const components: Record<Fixture["component"], (props: Fixture["props"]) => ReactElement> = {
  button: generateUploadButton<typeof router>(setup),
  dropzone: generateUploadDropzone<typeof router>(setup),
  headless: Headless,
}

createRoot(document.getElementById("root")!).render(h(components[component], props))
