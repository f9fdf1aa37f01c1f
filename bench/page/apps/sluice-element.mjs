import { defineElements } from "sluice/element"
import "sluice/styles.css"
import { routes } from "./sluice-routes.mjs"

defineElements({ routes })
document.getElementById("root").innerHTML = '<sluice-dropzone endpoint="files"></sluice-dropzone>'
