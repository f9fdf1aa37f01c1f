// @vitest-environment node
import { join } from "node:path"
import type { PluginBuild } from "esbuild"
import { renderToString } from "vue/server-renderer"
import { createPart } from "./apps/vue-late-hydration.ts"
import { bundlePage } from "./bundle-page.ts"
import { describeLateHydration } from "./describe-late-hydration.ts"

/** The build that warns of what does not fit. */
const development = {
  name: "vue-development",
  setup: (build: PluginBuild) => {
    const path = join(import.meta.dirname, "../../node_modules/vue/dist/vue.esm-browser.js")
    build.onResolve({ filter: /^vue$/ }, () => ({ path }))
  },
}

describeLateHydration("Vue", {
  render: (part, routes) => renderToString(createPart(part, routes)),
  scripts: async () => ({
    development: await bundlePage("vue-late-hydration.ts", [development]),
    production: await bundlePage("vue-late-hydration.ts"),
  }),
  isExpected: (complaint) => complaint.includes("development build"),
})
