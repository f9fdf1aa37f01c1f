import { createElement } from "react"
import { createRoot } from "react-dom/client"
import { generateUploadDropzone } from "sluice/react"
import "sluice/styles.css"
import { routes } from "./sluice-routes.mjs"

const UploadDropzone = generateUploadDropzone({ routes })
const root = document.getElementById("root")
createRoot(root).render(createElement(UploadDropzone, { endpoint: "files" }))
