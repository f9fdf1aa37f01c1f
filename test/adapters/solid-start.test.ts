import { describeAdapter } from "../conformance/adapter.ts"
import { startViteApp } from "./apps/start-vite-app.ts"

describeAdapter("SolidStart", (configuration) => startViteApp("solid-start", "entry-server.js", configuration), [
  {
    test: "another method is a 405 problem",
    reason: "SolidStart itself answers methods that a route file does not export",
  },
])
