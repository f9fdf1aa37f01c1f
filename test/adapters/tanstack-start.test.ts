import { describeAdapter } from "../conformance/adapter.ts"
import { startViteApp } from "./apps/start-vite-app.ts"

describeAdapter("TanStack Start", (configuration) => startViteApp("tanstack-start", "server.js", configuration))
