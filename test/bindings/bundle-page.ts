import { basename, join } from "node:path"
import { build, type BuildOptions, type Plugin } from "esbuild"

const describeBuild = (file: string, plugins: Array<Plugin>) =>
  ({
    entryPoints: [{ in: join(import.meta.dirname, "apps", file), out: "page" }],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    conditions: ["browser", "svelte"],
    define: { "process.env.NODE_ENV": '"production"' },
    plugins,
    logLevel: "error",
  }) satisfies BuildOptions

/** Bundles a page of `test/bindings/apps` for a browser, as a user's bundler would for production. */
export const bundlePage = async (file: string, plugins: Array<Plugin> = []): Promise<string> => {
  const { outputFiles } = await build(describeBuild(file, plugins))
  return outputFiles[0]!.text
}

/** The same in pieces, by their names: what is loaded later is a file of its own, named after its module. */
export const bundlePieces = async (file: string, plugins: Array<Plugin> = []): Promise<ReadonlyMap<string, string>> => {
  const { outputFiles } = await build({
    ...describeBuild(file, plugins),
    splitting: true,
    outdir: "pieces",
    chunkNames: "[name]-[hash]",
  })
  return new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
}

/** Answers requests for the pieces, as `handle` of `startSite`. */
export const servePieces =
  (pieces: ReadonlyMap<string, string>) =>
  (request: Request): Promise<Response> | undefined => {
    const piece = pieces.get(new URL(request.url).pathname.slice(1))
    if (piece === undefined) return undefined
    return Promise.resolve(new Response(piece, { headers: { "content-type": "text/javascript; charset=utf-8" } }))
  }
