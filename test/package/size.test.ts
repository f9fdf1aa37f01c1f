import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build, type BuildOptions, transform } from "esbuild"
import { format, resolveConfig } from "prettier"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { compileSvelte } from "../bindings/compile-svelte.ts"
import packageJson from "../../package.json" with { type: "json" }
import { type Consumer, createConsumer, repository } from "./consumer.ts"

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
const bundle = async (code: string, options: BuildOptions = {}): Promise<ReadonlyArray<Chunk>> => {
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
    ...options,
  })
  const outputs = metafile!.outputs
  const entry = Object.keys(outputs).find((file) => outputs[file]?.entryPoint?.endsWith("entry.js"))!
  const loaded = new Set([entry])
  for (const file of loaded) {
    for (const { path, kind, external } of outputs[file]!.imports) {
      if (kind === "import-statement" && !external) loaded.add(path)
    }
  }
  return outputFiles!.map(({ path, contents, text }) => ({
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

/** What users import, and what it is for. */
const imports: ReadonlyArray<readonly [what: string, code: string]> = [
  ["`generateUploader`", 'export { generateUploader } from "sluice/client"'],
  ["`createSessions`", 'export { createSessions } from "sluice/sessions"'],
  [
    "both of them",
    'export { generateUploader } from "sluice/client"; export { createSessions } from "sluice/sessions"',
  ],
  ...["react", "vue", "svelte", "solid"].flatMap((name): ReadonlyArray<readonly [string, string]> => {
    const framework = name[0]!.toUpperCase() + name.slice(1)
    return [
      [`${framework}: \`generateUploadButton\``, `export { generateUploadButton } from "sluice/${name}"`],
      [`${framework}: \`generateUploadDropzone\``, `export { generateUploadDropzone } from "sluice/${name}"`],
      [`${framework}: \`generateUseUploader\``, `export { generateUseUploader } from "sluice/${name}"`],
    ]
  }),
  ["both elements", 'import "sluice/element"'],
]

const toKilobytes = (bytes: number): string => (bytes / 1000).toFixed(1)

const toRow = (name: string, chunks: ReadonlyArray<Chunk>): string => {
  const atOnce = chunks.filter(({ isLazy }) => !isLazy)
  const later = sum(chunks, "gzip") - sum(atOnce, "gzip")
  return `| ${name} | ${toKilobytes(sum(atOnce, "minified"))} | ${toKilobytes(sum(atOnce, "gzip"))} | ${later === 0 ? "" : toKilobytes(later)} |`
}

const header = "| | minified | gzip | loaded when needed |\n| --- | ---: | ---: | ---: |"

/** `docs/sizes.md`, as it should be. */
const writeTable = async (): Promise<string> => {
  const peers = Object.keys(packageJson.peerDependencies)
  const browser: BuildOptions = { external: peers.flatMap((name) => [name, `${name}/*`]) }
  const node: BuildOptions = { ...browser, platform: "node" }
  const rows: Array<string> = []
  for (const [what, code] of imports) rows.push(toRow(what, await bundle(code, browser)))
  const styles = await readFile(join(consumer.folder, "node_modules/sluice/dist/styles.css"))
  const { code } = await transform(styles, { loader: "css", minify: true })
  rows.push(
    `| \`sluice/styles.css\` | ${toKilobytes(code.length)} | ${toKilobytes(gzipSync(code, { level: 9 }).length)} | |`,
  )
  const doors: Array<string> = []
  for (const name of Object.keys(packageJson.exports).filter((path) => !/\.(?:json|css)$/.test(path))) {
    const door = name.replace(".", "sluice")
    doors.push(toRow(`\`${door}\``, await bundle(`export * from "${door}"`, node)))
  }
  return `# Sizes

In kB (1,000 bytes), as esbuild bundles the packed package: minified, ES2022, without the framework itself. Made by
\`test/package/size.test.ts\`, which fails when it is more than 2 % out of date: \`npx vitest run --project package -u\` writes it anew.

## What a browser loads

${[header, ...rows].join("\n")}

Imports share what they have in common: an uploader beside components costs next to nothing.

## Every entry, with all it exports

${[header, ...doors].join("\n")}
`
}

/** Whether two tables say the same but for small differences of their figures: zlib's output depends on the processor. */
const isClose = (a: string, b: string): boolean => {
  const figure = /(?<=\| +)\d+\.\d/g
  const toText = (table: string) => table.replaceAll(figure, "").replaceAll(/[ -]+/g, " ")
  const [left, right] = [a, b].map((table) => (table.match(figure) ?? []).map(Number)) as [Array<number>, Array<number>]
  return toText(a) === toText(b) && left.every((value, i) => Math.abs(value - right[i]!) <= 0.1 + value * 0.02)
}

describe("size of what is loaded", () => {
  it("is what docs/sizes.md says, give or take 2 %", async () => {
    const path = join(repository, "docs/sizes.md")
    const config = await resolveConfig(path)
    const made = await format(await writeTable(), { ...config, filepath: path })
    const kept = await readFile(path, "utf8").catch(() => "")
    await expect(isClose(kept, made) ? kept : made).toMatchFileSnapshot(path)
  })

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
      (name) => !/package\.json|styles\.css|next|sveltekit|express|hono/.test(name),
    )
    for (const door of doors) await bundle(`export * from "${door.replace(".", "sluice")}"`)
    expect(doors).toContain("./server")
  })
})
