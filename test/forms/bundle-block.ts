import { build, type Plugin } from "esbuild"
import { compileScript, parse } from "vue/compiler-sfc"
import { readFile } from "node:fs/promises"

/** Compiles components of Vue as its plugins for bundlers do. */
const vue: Plugin = {
  name: "vue",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.vue$/ }, async ({ path }) => {
      const { descriptor } = parse(await readFile(path, "utf8"), { filename: path })
      return { contents: compileScript(descriptor, { id: path, inlineTemplate: true }).content, loader: "ts" }
    })
  },
}

/** The test reads styles from the sources. */
const styles: Plugin = {
  name: "styles",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\.css$/ }, ({ path }) => ({ path, namespace: "styles" }))
    onLoad({ filter: /.*/, namespace: "styles" }, () => ({ contents: "" }))
  },
}

/** Bundles a script for a page, as a bundler does in development, with the warnings of the frameworks. */
export const bundleBlock = async (folder: string, contents: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder, loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    jsx: "automatic",
    jsxDev: true,
    define: {
      "process.env.NODE_ENV": '"development"',
      __VUE_OPTIONS_API__: "true",
      __VUE_PROD_DEVTOOLS__: "false",
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
    },
    plugins: [vue, styles],
    logLevel: "error",
  })
  return outputFiles[0]!.text
}
