import { readFile } from "node:fs/promises"
import type { Plugin } from "esbuild"
import { compile } from "svelte/compiler"

/** Compiles `.svelte` files as a user's bundler would; a warning of the compiler is an error. */
export const compileSvelte = (generate: "client" | "server", isDev = false): Plugin => ({
  name: "svelte",
  setup: ({ initialOptions, onLoad }) => {
    if (isDev) initialOptions.conditions = [...(initialOptions.conditions ?? []), "development"]
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { js, warnings } = compile(await readFile(path, "utf8"), { filename: path, generate, dev: isDev })
      return { contents: js.code, errors: warnings.map(({ code, message }) => ({ text: `${code}: ${message}` })) }
    })
  },
})
