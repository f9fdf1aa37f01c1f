import Uppy from "@uppy/core"
import "@uppy/core/css/style.min.css"
import Dashboard from "@uppy/dashboard"
import "@uppy/dashboard/css/style.min.css"

const uppy = new Uppy().use(Dashboard, { inline: true, target: "#root", width: "100%" })

window.bench = {
  input: "#root .uppy-Dashboard-input:not([webkitdirectory])",
  count: () => uppy.getFiles().length,
  rows: () => document.querySelectorAll(".uppy-Dashboard-Item"),
  hasPicture: (row) => row.querySelector("img.uppy-Dashboard-Item-previewImg")?.naturalWidth > 0,
}
