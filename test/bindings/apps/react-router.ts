import { createElement as h, Fragment, StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { createBrowserRouter, Link, Outlet } from "react-router"
import { RouterProvider } from "react-router/dom"
import { createUploads, generateUploadDropzone, generateUploadTray } from "../../../bindings/react.ts"
import type { router } from "./router.ts"

const uploads = createUploads<typeof router>()
const UploadDropzone = generateUploadDropzone<typeof router>({ uploads })
const UploadTray = generateUploadTray(uploads)

/** `?elsewhere`: it shows what no dropzone does, and begins when that leaves the page. */
const shows = location.search === "?elsewhere" ? "elsewhere" : "all"

const Layout = () =>
  h(
    Fragment,
    null,
    h("nav", null, h(Link, { to: "/" }, "Albums"), " ", h(Link, { to: "/settings" }, "Settings")),
    h(Outlet),
    h(UploadTray, { shows }),
  )

const Albums = () =>
  h(
    Fragment,
    null,
    h("h2", null, "Albums"),
    h(UploadDropzone<"anything">, { endpoint: "anything", config: { mode: "auto" } }),
  )

const pages = createBrowserRouter([
  {
    element: h(Layout),
    children: [
      { path: "/", element: h(Albums) },
      // A page whose code comes later, as a large application's does.
      {
        path: "/settings",
        lazy: async () => {
          await new Promise((resolve) => setTimeout(resolve, 50))
          return { element: h("h2", null, "Settings") }
        },
      },
    ],
  },
])

createRoot(document.getElementById("root")!).render(h(StrictMode, null, h(RouterProvider, { router: pages })))
