import { join } from "node:path"
import { build, type Plugin } from "esbuild"

/** Bundles a page of `test/bindings/apps` for a browser, as a user's bundler would for production. */
export const bundlePage = async (file: string, plugins: Array<Plugin> = []): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "apps", file)],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    conditions: ["browser", "svelte"],
    define: { "process.env.NODE_ENV": '"production"' },
    plugins,
    logLevel: "error",
  })
  return outputFiles[0]!.text
}
