// @vitest-environment node
import { join } from "node:path"
import type { PluginBuild } from "esbuild"
import { generateHydrationScript, renderToString } from "solid-js/web"
import { createPart } from "./apps/solid-late-hydration.ts"
import { bundlePage } from "./bundle-page.ts"
import { describeLateHydration } from "./describe-late-hydration.ts"

/** The build that warns of what does not fit. */
const development = {
  name: "solid-development",
  setup: (build: PluginBuild) => {
    const folder = join(import.meta.dirname, "../../node_modules/solid-js")
    build.onResolve({ filter: /^solid-js(\/\w+)?$/ }, ({ path }) => ({
      path: join(folder, path.slice("solid-js".length), "dist/dev.js"),
    }))
  },
}

const prelude = generateHydrationScript().replace(/^<script[^>]*>|<\/script>.*$/g, "")
const begin = (script: string) => `(0, eval)(${JSON.stringify(prelude)});${script}`

describeLateHydration("Solid", {
  render: (part, routes) => renderToString(createPart(part, routes), { renderId: part }),
  scripts: async () => ({
    development: begin(await bundlePage("solid-late-hydration.ts", [development])),
    production: begin(await bundlePage("solid-late-hydration.ts")),
  }),
})
