import { createComponent, createMemo, createSignal, For, type JSX, mergeProps } from "solid-js"
import { Dynamic, render } from "solid-js/web"
import {
  generateUploadAvatar,
  generateUploadButton,
  generateUploadDropzone,
  generateUploadTray,
  generateUseUploader,
} from "../../../bindings/solid.ts"
import { readFixture } from "./fixture.ts"
import type { router } from "./router.ts"

const { component, setup, props, second, uploads, tray, onNavigate } = readFixture()

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
        createMemo(() => `${item.name}: ${item.status}`),
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
  avatar: generateUploadAvatar<typeof router>(setup),
  button: generateUploadButton<typeof router>(setup),
  dropzone: generateUploadDropzone<typeof router>(setup),
}

const UploadTray = uploads && generateUploadTray(uploads)

const Page = () => {
  const [isHere, show] = createSignal(true)
  onNavigate(show)
  const shown = createMemo(() =>
    isHere() ? [props, second].map((given) => given && createComponent(components[component as "button"], given)) : [],
  )
  return [shown as unknown as JSX.Element, UploadTray && createComponent(UploadTray, tray)]
}

render(
  () => (component === "headless" ? createComponent(Headless, {}) : createComponent(Page, {})),
  document.getElementById("root")!,
)
