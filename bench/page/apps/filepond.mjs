import { create, registerPlugin } from "filepond"
import "filepond/dist/filepond.min.css"
import preview from "filepond-plugin-image-preview"
import "filepond-plugin-image-preview/dist/filepond-plugin-image-preview.min.css"

registerPlugin(preview)
const pond = create({ allowMultiple: true, instantUpload: false, storeAsFile: true })
document.getElementById("root").append(pond.element)

window.bench = {
  input: ".filepond--browser",
  count: () => pond.getFiles().length,
  rows: () => document.querySelectorAll(".filepond--item"),
  hasPicture: (row) => row.querySelector(".filepond--image-bitmap canvas") !== null,
}
