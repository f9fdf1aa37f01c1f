import Uppy from "@uppy/core"
import "@uppy/core/css/style.min.css"
import Dashboard from "@uppy/dashboard"
import "@uppy/dashboard/css/style.min.css"
import Tus from "@uppy/tus"

new Uppy({ autoProceed: true })
  .use(Dashboard, { inline: true, target: "#root", width: "100%" })
  // Each file in one request, the best that the protocol has; how many at once is Uppy's own choice.
  .use(Tus, { endpoint: window.endpoint, uploadDataDuringCreation: true })
  .on("complete", ({ successful }) => window.tell(successful.length))
