import { generateUploadDropzone } from "sluice/solid"
import "sluice/styles.css"
import { createComponent } from "solid-js"
import { render } from "solid-js/web"

const props = {
  endpoint: "anything",
  config: { mode: "auto" },
  onClientUploadComplete: (results) => window.tell(results.length),
}
render(() => createComponent(generateUploadDropzone(), props), document.getElementById("root"))
