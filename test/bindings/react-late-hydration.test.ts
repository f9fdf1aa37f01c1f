// @vitest-environment node
import type { PluginBuild } from "esbuild"
import { renderToString } from "react-dom/server"
import { createPart } from "./apps/react-late-hydration.ts"
import { bundlePage } from "./bundle-page.ts"
import { describeLateHydration } from "./describe-late-hydration.ts"

/** The build that warns of what does not fit. */
const development = {
  name: "react-development",
  setup: (build: PluginBuild) => {
    build.initialOptions.define = { "process.env.NODE_ENV": '"development"' }
  },
}

describeLateHydration("React", {
  render: (part, routes) => renderToString(createPart(part, routes), { identifierPrefix: part }),
  scripts: async () => ({
    development: await bundlePage("react-late-hydration.ts", [development]),
    production: await bundlePage("react-late-hydration.ts"),
  }),
})
