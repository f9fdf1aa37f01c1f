import { generateUploadDropzone } from "sluice/vue"
import "sluice/styles.css"
import { createApp } from "vue"

const props = {
  endpoint: "anything",
  config: { mode: "auto" },
  onClientUploadComplete: (results) => window.tell(results.length),
}
createApp(generateUploadDropzone(), props).mount("#root")
