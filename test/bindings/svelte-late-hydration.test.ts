import { join } from "node:path"
import { build } from "esbuild"
import type { Component } from "svelte"
import type { render as renderPage } from "svelte/server"
import { bundlePage } from "./bundle-page.ts"
import { compileSvelte } from "./compile-svelte.ts"
import { describeLateHydration } from "./describe-late-hydration.ts"

/** Loads the page as a server of Svelte does: once. */
const loadServer = async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { render } from "svelte/server"\nexport { default as Page } from "./svelte/late-page.svelte"`,
      resolveDir: join(import.meta.dirname, "apps"),
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    conditions: ["svelte"],
    plugins: [compileSvelte("server")],
    logLevel: "error",
  })
  const code = `data:text/javascript;base64,${Buffer.from(outputFiles[0]!.contents).toString("base64")}`
  return (await import(/* @vite-ignore */ code)) as { render: typeof renderPage; Page: Component<{ routes: unknown }> }
}

let server: ReturnType<typeof loadServer> | undefined

describeLateHydration("Svelte", {
  render: async (part, routes) => {
    const { render, Page } = await (server ??= loadServer())
    return render(Page, { props: { part, routes }, idPrefix: part } as never).body
  },
  scripts: async () => ({
    development: await bundlePage("svelte-late-hydration.ts", [compileSvelte("client", true)]),
    production: await bundlePage("svelte-late-hydration.ts", [compileSvelte("client")]),
  }),
})
