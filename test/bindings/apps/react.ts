import { createElement as h, Fragment, type ReactElement, useState } from "react"
import { createRoot } from "react-dom/client"
import {
  generateUploadAvatar,
  generateUploadButton,
  generateUploadDropzone,
  generateUploadTray,
  generateUseUploader,
} from "../../../bindings/react.ts"
import { type Fixture, readFixture } from "./fixture.ts"
import type { router } from "./router.ts"

const { component, setup, props, second, uploads, tray, onNavigate } = readFixture()

const useUploader = generateUseUploader<typeof router>(setup)

const Headless = ({ endpoint, ...options }: Fixture["props"]) => {
  const { parts, files, status, progress, isUploading } = useUploader(endpoint, options)
  return h(
    "section",
    parts.target,
    h("input", parts.input),
    h("button", parts.pick, "Pick"),
    h("button", parts.upload, "Send"),
    h("ul", {}, ...files.map(({ id, name, status }) => h("li", { key: id }, `${name}: ${status}`))),
    h("output", { "data-status": status, "data-busy": String(isUploading) }, String(progress)),
  )
}

const components: Record<Fixture["component"], (props: Fixture["props"]) => ReactElement> = {
  avatar: generateUploadAvatar<typeof router>(setup),
  button: generateUploadButton<typeof router>(setup),
  dropzone: generateUploadDropzone<typeof router>(setup),
  headless: Headless,
}

const UploadTray = uploads && generateUploadTray(uploads)

const Page = () => {
  const [isHere, show] = useState(true)
  onNavigate(show)
  return h(
    Fragment,
    null,
    isHere && h(components[component], props),
    isHere && second && h(components[component], second),
    UploadTray && h(UploadTray, tray),
  )
}

createRoot(document.getElementById("root")!).render(h(Page))
