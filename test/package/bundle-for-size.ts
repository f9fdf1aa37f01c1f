import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { gzip as compress } from "pako"
import { type Plugin, rolldown } from "rolldown"
import { compile } from "svelte/compiler"

/** Bytes of a text, compressed. Node's own zlib makes 2 % more or less of the same text, depending on the processor. */
export const gzipSize = (text: string): number => compress(new TextEncoder().encode(text), { level: 9 }).length

/** A piece of what a bundler makes of one import. */
export interface Chunk {
  /** `engine`, of `ui/engine.js`; what several need together has no name. */
  readonly name: string | undefined
  readonly isLazy: boolean
  readonly text: string
}

const entry = "entry.js"

const readEntry = (folder: string, code: string): Plugin => ({
  name: "entry",
  resolveId: (id) => (id === entry ? join(folder, entry) : null),
  load: (id) => (id === join(folder, entry) ? { code, moduleSideEffects: true } : null),
})

const svelte: Plugin = {
  name: "svelte",
  load: async (id) => {
    if (!id.endsWith(".svelte")) return null
    return compile(await readFile(id, "utf8"), { filename: id, generate: "client" }).js.code
  },
}

/**
 * Bundles and minifies code of a project for production, by the bundler of Vite.
 *
 * @param external packages that are not bundled, with all their entries
 */
export const bundleForSize = async (
  folder: string,
  code: string,
  { external = [], platform = "browser" }: { external?: ReadonlyArray<string>; platform?: "browser" | "node" } = {},
): Promise<ReadonlyArray<Chunk>> => {
  const made = await rolldown({
    input: entry,
    cwd: folder,
    platform,
    external: external.flatMap((name) => [name, new RegExp(`^${name}/`)]),
    plugins: [readEntry(folder, code), svelte],
    transform: { target: "es2022", define: { "process.env.NODE_ENV": '"production"' } },
    onLog: (level, { code, message }) => {
      // "use client" is for bundlers that know of servers.
      if (level === "warn" && code !== "MODULE_LEVEL_DIRECTIVE") throw new Error(message)
    },
  })
  const { output } = await made.generate({ format: "esm", minify: true })
  await made.close()
  const chunks = new Map(output.filter((file) => file.type === "chunk").map((chunk) => [chunk.fileName, chunk]))
  const loaded = new Set([...chunks.values()].filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName))
  for (const file of loaded)
    for (const other of chunks.get(file)?.imports ?? []) if (chunks.has(other)) loaded.add(other)
  return [...chunks.values()].map(({ fileName, facadeModuleId, code: text }) => ({
    name: /\/ui\/(?:\w+\/)?([\w-]+)\.js$/.exec(facadeModuleId ?? "")?.[1],
    isLazy: !loaded.has(fileName),
    text,
  }))
}

/** Bytes of some chunks, minified. */
export const minified = (chunks: ReadonlyArray<Chunk>): number =>
  chunks.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)

/** Bytes of some chunks, compressed as one file. */
export const gzip = (chunks: ReadonlyArray<Chunk>): number =>
  chunks.length === 0 ? 0 : gzipSize(chunks.map(({ text }) => text).join(""))
