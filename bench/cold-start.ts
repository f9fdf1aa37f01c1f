import { join } from "node:path"
import { build } from "esbuild"
import { peersFolder } from "./peers.ts"
import type { Report } from "./report.ts"
import { type Case, runRounds } from "./rounds.ts"

const folder = join(import.meta.dirname, "cold-start")

/** The same program as one minified file, as a serverless platform's bundler makes it. */
const bundle = async (name: string): Promise<string> => {
  const outfile = join(peersFolder, "cold-start", `${name}.mjs`)
  await build({
    entryPoints: [join(folder, `${name}.mjs`)],
    outfile,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node22",
    logLevel: "error",
    // Peers that ship CommonJS ask for it.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  })
  return outfile
}

/** From the start of the process to its end, right after the first answer: import, build the router, sign one file. */
export const benchColdStart = async (rounds = 15): Promise<ReadonlyArray<Report>> => {
  const installed = ["node", "bare", "hono", "sluice", "uploadthing"].map((name): Case => ({
    name,
    args: [join(folder, `${name}.mjs`)],
  }))
  const bundled = await Promise.all(
    ["hono", "sluice", "uploadthing"].map(async (name): Promise<Case> => ({
      name: `${name}, bundled`,
      args: [await bundle(name)],
    })),
  )
  return [
    {
      title: "Cold start: whole process with one upload action",
      figures: { wall: "ms" },
      rounds: await runRounds([...installed, ...bundled], rounds, ({ wall }) => ({ wall })),
      aims: [
        { of: "sluice", to: "hono", figure: "wall", atMost: 1.6 },
        { of: "sluice, bundled", to: "hono, bundled", figure: "wall", atMost: 1.6 },
        { of: "uploadthing", to: "sluice", figure: "wall" },
        { of: "sluice", to: "node", figure: "wall" },
      ],
    },
  ]
}
