import { join } from "node:path"
import { build } from "esbuild"
import type { Component } from "svelte"
import type { render as renderPage } from "svelte/server"
import { compileSvelte } from "./compile-svelte.ts"

/** Loads a page of `apps/svelte` as a server of Svelte does, with what renders it. */
export const loadSvelteServer = async (page: string) => {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { render } from "svelte/server"\nexport { default as Page } from "./svelte/${page}"`,
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
