import { join } from "node:path"
import { build } from "esbuild"

/** How a bundle is made. */
interface BundleOptions {
  /** `NODE_ENV` as the bundler has it; undefined: it says nothing of it. */
  readonly mode?: string
  readonly minify?: boolean
  /** Whether what is loaded later is left out. */
  readonly isFirstOnly?: boolean
}

/** What a page loads that has this script, whose imports are relative to `src`. */
export const bundle = async (
  contents: string,
  { mode, minify = true, isFirstOnly = false }: BundleOptions = {},
): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(import.meta.dirname, "../../src") },
    bundle: true,
    minify,
    write: false,
    ...(isFirstOnly && { splitting: true, outdir: "/" }),
    format: "esm",
    platform: "browser",
    target: "es2022",
    ...(mode !== undefined && { define: { "process.env.NODE_ENV": JSON.stringify(mode) } }),
    logLevel: "error",
  })
  if (!isFirstOnly) return outputFiles[0]!.text
  return outputFiles.find(({ path }) => path.endsWith("/stdin.js"))!.text
}

/** The elements, as a page of this mode loads them. */
export const bundleElement = (mode: string, minify?: boolean): Promise<string> =>
  bundle(`import "../bindings/element.ts"`, { mode, ...(minify !== undefined && { minify }) })
