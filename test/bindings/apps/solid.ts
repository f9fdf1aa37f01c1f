import { createComponent, createMemo, For, type JSX, mergeProps } from "solid-js"
import { Dynamic, render } from "solid-js/web"
import { generateUploadButton, generateUploadDropzone, generateUseUploader } from "../../../adapters/solid.ts"
import { readFixture } from "./fixture.ts"
import type { router } from "./router.ts"

const { component, setup, props } = readFixture()

const useUploader = generateUseUploader<typeof router>(setup)

/** What the compiler makes of `<tag {...given()}>{children}</tag>`. */
const element = (tag: string, given: () => object, ...children: Array<unknown>) =>
  createComponent(Dynamic, mergeProps({ component: tag, children }, given))

const Headless = () => {
  const { endpoint, ...options } = props
  const { parts, files, status, progress, isUploading } = useUploader(endpoint, options)
  const list = createComponent(For<ReturnType<typeof files>, JSX.Element>, {
    get each() {
      return files()
    },
    children: (item) =>
      element(
        "li",
        () => ({}),
        createMemo(() => `${item.file.name}: ${item.status}`),
      ),
  })
  return element(
    "section",
    () => parts().target,
    element("input", () => parts().input),
    element("button", () => parts().pick, "Pick"),
    element("button", () => parts().upload, "Send"),
    element("ul", () => ({}), list),
    element("output", () => ({ "data-status": status(), "data-busy": String(isUploading()) }), progress),
  )
}

const components = {
  button: generateUploadButton<typeof router>(setup),
  dropzone: generateUploadDropzone<typeof router>(setup),
}

render(
  () => (component === "headless" ? createComponent(Headless, {}) : createComponent(components[component], props)),
  document.getElementById("root")!,
)
