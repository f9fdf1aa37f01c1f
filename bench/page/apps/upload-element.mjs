import { defineElements } from "sluice/element"
import "sluice/styles.css"

defineElements()
const dropzone = document.createElement("sluice-dropzone")
Object.assign(dropzone, { endpoint: "anything", mode: "auto" })
dropzone.addEventListener("upload-complete", ({ detail }) => window.tell(detail.results.length))
document.getElementById("root").append(dropzone)
