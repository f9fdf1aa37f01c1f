import { describeAdapter } from "../conformance/adapter.ts"
import { startViteApp } from "./apps/start-vite-app.ts"

describeAdapter("SolidStart", (configuration) => startViteApp("solid-start", "entry-server.js", configuration), [
  {
    test: "behind a body parser it works or names the fix",
    reason: "SolidStart has no body parsers",
  },
  {
    test: "another method is a 405 problem",
    reason: "SolidStart itself answers methods that a route file does not export",
  },
])
