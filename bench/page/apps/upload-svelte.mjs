import { generateUploadDropzone } from "sluice/svelte"
import "sluice/styles.css"
import { mount } from "svelte"

const props = {
  endpoint: "anything",
  config: { mode: "auto" },
  onClientUploadComplete: (results) => window.tell(results.length),
}
mount(generateUploadDropzone(), { target: document.getElementById("root"), props })
