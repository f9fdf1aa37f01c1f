import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { peersFolder } from "./peers.ts"
import type { Aim, Report } from "./report.ts"
import { type Figures, runRounds } from "./rounds.ts"

/** Writes the two files of a project with so many routes. */
interface Language {
  readonly router: (routes: number) => string
  readonly client: (routes: number) => string
}

const repeat = (count: number, write: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => write(i)).join("\n")

const schema = "z.object({ album: z.string(), position: z.number() })"

const writeRouter = (module: string, create: string) => (count: number) => `import { z } from "zod"
import { ${create}, type FileRouter } from "${module}"
const f = ${create}()
export const router = {
${repeat(
  count,
  (i) => `  route${i}: f({ image: { maxFileSize: "4MB", maxFileCount: 4 } })
    .input(${schema})
    .middleware(({ input }) => ({ userId: "user", album: input.album, route: ${i} }))
    .onUploadError(({ error }) => console.log(error.message))
    .onUploadComplete(({ metadata, file }) => ({ uploadedBy: metadata.userId, at: file.size })),`,
)}
} satisfies FileRouter
export const another = ${schema}
`

/** Uses what is inferred for every route; the mistakes at its end must be some, which shows that the types say something. */
const writeClient =
  (module: string, generate: string, use: string) => (count: number) => `import { ${generate} } from "${module}"
import type { router } from "./router.js"
const { uploadFiles } = ${generate}<typeof router>()
const take = (data: { uploadedBy: string; at: number }) => data
export const keep = [uploadFiles, take]
${repeat(
  count,
  (i) => `export const use${i} = async (files: Array<File>) => {
  for (const one of await uploadFiles("route${i}", { files, input: { album: "a", position: 1 } })) ${use}
}`,
)}
${
  count === 0
    ? ""
    : `// @ts-expect-error the album is missing
void uploadFiles("route0", { files: [], input: { position: 1 } })
// @ts-expect-error there is no such route
void uploadFiles("nowhere", { files: [] })
`
}`

const languages: Readonly<Record<string, Language>> = {
  sluice: {
    router: writeRouter("sluice/server", "createSluice"),
    client: writeClient("sluice/client", "generateUploader", 'if (one.status === "done") take(one.serverData)'),
  },
  uploadthing: {
    router: writeRouter("uploadthing/server", "createUploadthing"),
    client: writeClient("uploadthing/client", "genUploader", "take(one.serverData)"),
  },
  // What both of them spend on the schemas: what goes in and what comes out, read as a Standard Schema.
  "zod alone": {
    router: (count) => `import { z } from "zod"
type Types<Schema extends { readonly "~standard": { readonly types?: { readonly input: unknown; readonly output: unknown } | undefined } }> = NonNullable<Schema["~standard"]["types"]>
${repeat(
  count,
  (i) => `const schema${i} = ${schema}
export type Input${i} = Types<typeof schema${i}>["input"]
export type Output${i} = Types<typeof schema${i}>["output"]`,
)}
export const another = ${schema}
`,
    client: (count) => `import type * as router from "./router.js"
export type Another = typeof router.another
${repeat(
  count,
  (i) => `export const input${i}: router.Input${i}["album"] = ""
export const output${i}: router.Output${i}["album"] = ""`,
)}
`,
  },
}

/** Writes a project beside the installed peers, where it finds them and, by a link, ourselves. */
const writeProject = (name: string, language: Language, count: number): string => {
  const folder = join(peersFolder, "types", `${name.replace(" ", "-")}-${count}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }')
  writeFileSync(join(folder, "router.ts"), language.router(count))
  writeFileSync(join(folder, "client.ts"), language.client(count))
  const compilerOptions = {
    target: "ES2022",
    lib: ["ES2022", "DOM", "DOM.Iterable"],
    module: "esnext",
    moduleResolution: "bundler",
    types: [],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
  return folder
}

const readDiagnostics = ({ output }: { readonly output: string }): Figures => {
  const read = (label: string): number => {
    const value = new RegExp(`^${label}:\\s+([\\d.]+)`, "m").exec(output)?.[1]
    if (value === undefined) throw new Error(`tsc does not say ${label}:\n${output}`)
    return Number(value)
  }
  return {
    instantiations: read("Instantiations"),
    check: read("Check time"),
    total: read("Total time"),
    files: read("Files"),
    memory: read("Memory used") / 1024,
  }
}

/** `tsc --noEmit --extendedDiagnostics` over a router of so many routes and a client that uses each. */
export const benchTypes = async (rounds = 3): Promise<ReadonlyArray<Report>> => {
  const tsc = join(import.meta.dirname, "../node_modules/typescript/lib/tsc.js")
  const reports: Array<Report> = []
  for (const count of [0, 1, 50, 200]) {
    const cases = Object.entries(languages).map(([name, language]) => ({
      name,
      args: [tsc, "--extendedDiagnostics", "-p", writeProject(name, language, count)],
    }))
    const aim: Aim = { of: "sluice", to: "uploadthing", figure: "instantiations" }
    reports.push({
      title: `Type check, ${count} ${count === 1 ? "route" : "routes"} with zod input`,
      figures: {
        instantiations: "instantiations",
        check: "check s",
        total: "total s",
        files: "files",
        memory: "memory MiB",
      },
      rounds: await runRounds(cases, rounds, readDiagnostics),
      aims: count === 0 ? [] : [count === 200 ? { ...aim, atMost: 0.55 } : aim],
    })
  }
  return reports
}
