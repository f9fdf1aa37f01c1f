import { createElement } from "react"
import { createRoot } from "react-dom/client"
import { generateUploadDropzone } from "sluice/react"
import "sluice/styles.css"

const UploadDropzone = generateUploadDropzone()
const props = {
  endpoint: "anything",
  config: { mode: "auto" },
  onClientUploadComplete: (results) => window.tell(results.length),
}
createRoot(document.getElementById("root")).render(createElement(UploadDropzone, props))
