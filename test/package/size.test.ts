import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { compileSvelte } from "../bindings/compile-svelte.ts"
import packageJson from "../../package.json" with { type: "json" }
import { type Consumer, createConsumer } from "./consumer.ts"

let consumer: Consumer

beforeAll(async () => {
  consumer = await createConsumer(Object.keys(packageJson.peerDependencies))
})

afterAll(() => consumer.remove())

interface Chunk {
  readonly isLazy: boolean
  readonly minified: number
  readonly gzip: number
  readonly text: string
}

/** What a bundler makes of one import, minified: what loads at once, and what only when asked for. */
const bundle = async (code: string): Promise<ReadonlyArray<Chunk>> => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: consumer.folder, sourcefile: "entry.js" },
    absWorkingDir: consumer.folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    outdir: "out",
    metafile: true,
    write: false,
    plugins: [compileSvelte("client")],
  })
  const outputs = metafile.outputs
  const entry = Object.keys(outputs).find((file) => outputs[file]?.entryPoint?.endsWith("entry.js"))!
  const loaded = new Set([entry])
  for (const file of loaded) {
    for (const { path, kind } of outputs[file]!.imports) if (kind === "import-statement") loaded.add(path)
  }
  return outputFiles.map(({ path, contents, text }) => ({
    isLazy: ![...loaded].some((file) => path.endsWith(file)),
    minified: contents.length,
    gzip: gzipSync(contents, { level: 9 }).length,
    text,
  }))
}

const sum = (chunks: ReadonlyArray<Chunk>, what: "minified" | "gzip") =>
  chunks.reduce((total, chunk) => total + chunk[what], 0)

const report = (name: string, chunks: ReadonlyArray<Chunk>): number => {
  const atOnce = chunks.filter(({ isLazy }) => !isLazy)
  const lazy = chunks.filter(({ isLazy }) => isLazy)
  const say = (some: ReadonlyArray<Chunk>) => `${sum(some, "gzip")} bytes gzip (${sum(some, "minified")} minified)`
  console.log(`${name}: ${say(atOnce)}; loaded only when needed: ${say(lazy)}`)
  return sum(atOnce, "gzip")
}

describe("size of what is loaded", () => {
  it("the client is at most 5 kB, without Effect and without sqids", async () => {
    const chunks = await bundle('export { generateUploader } from "sluice/client"')
    expect(report("sluice/client generateUploader", chunks)).toBeLessThanOrEqual(5_000)
    for (const { text } of chunks) {
      expect(text).not.toMatch(/effect\//i)
      expect(text).not.toMatch(/sqids/i)
    }
  })

  it("the route handler is at most 40 kB", async () => {
    const chunks = await bundle('export { createRouteHandler } from "sluice/server"')
    expect(report("sluice/server createRouteHandler", chunks)).toBeLessThanOrEqual(40_000)
  })

  it("no door needs anything of Node to be bundled for a browser or an edge runtime", async () => {
    const doors = Object.keys(packageJson.exports).filter(
      (name) => !/package\.json|next|sveltekit|express|hono/.test(name),
    )
    for (const door of doors) await bundle(`export * from "${door.replace(".", "sluice")}"`)
    expect(doors).toContain("./server")
  })
})
