import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { defineConfig, type Options } from "tsup"

const root = import.meta.dirname

/** The doors that Node loads in the place of those of their names, by a condition of `exports`: name → source file. */
export const nodeDoors: ReadonlyMap<string, string> = new Map(
  globSync("src/*.node.ts", { cwd: root }).map((file) => [basename(file, ".node.ts"), file] as const),
)

/** The package's doors: `exports` name → source file. Every other `src/*.ts`, `src/texts/*.ts`, `adapters/*.ts` and `bindings/*.ts` is one. */
export const doors: ReadonlyMap<string, string> = new Map(
  ["src", "src/texts", "adapters", "bindings"].flatMap((folder) =>
    globSync(`${folder}/*.{ts,tsx}`, { cwd: root })
      .filter((file) => !file.endsWith(".node.ts"))
      .toSorted()
      .map((file) => [file.replace(/^(?:src|adapters|bindings)\/|\.tsx?$/g, ""), file] as const),
  ),
)

/** The `sluice` command. */
const command = "src/cli/main.ts"

/** The look of the components: `sluice/styles.css`. */
const styles = "src/ui/styles.css"

/** The door of `src` that a file imports; adapters and bindings have one (test/architecture.test.ts). */
const doorBehind = (file: string): string | undefined =>
  /from "\.\.\/(?:\.\.\/)?src\/([\w-]+)\.ts"/.exec(readFileSync(join(root, file), "utf8"))?.[1]

/** The doors that an app's server loads together with its route handler. */
const serverDoors: ReadonlySet<string> = new Set(["server", "api", "msw"])

/** The doors that are built with the ingest: they are of no use without it. */
const ingestDoors: ReadonlySet<string> = new Set(["ingest", "s3", "postgres", "conformance"])

/** The doors that pages load; one page may load several. */
const browserDoors: ReadonlySet<string> = new Set(["client", "resume", "ui"])

const groupOf = (door: string): string => {
  if (browserDoors.has(door)) return "browser"
  if (serverDoors.has(door)) return "server"
  return ingestDoors.has(door) ? "ingest" : door
}

/**
 * Which entries are built together: an adapter or a binding with the door behind it, those of an app's server, those of the
 * browser, the command and the suites with the ingest, else each alone.
 *
 * Entries of one group share chunks, so that there is one `UploadError` and one Effect among the server and its
 * adapters. Between groups nothing is shared: what a chunk holds is what any entry of its group uses, and the server
 * would load what only the ingest needs (docs/decisions/001).
 */
const groups = (): Array<Record<string, string>> => {
  const byDoor = new Map<string, Record<string, string>>()
  const add = (group: string, name: string, file: string) => byDoor.set(group, { ...byDoor.get(group), [name]: file })
  for (const [name, file] of doors) {
    const door = /^(?:adapters|bindings)\//.test(file) ? (doorBehind(file) ?? "server") : name
    add(name.startsWith("texts/") ? "browser" : groupOf(door), name, file)
  }
  for (const [name, file] of nodeDoors) add(groupOf(name), `${name}.node`, file)
  // Each module of the components for itself: what a page loads at once is decided by its bundler, module by module, and
  // not by what one chunk of ours happens to hold.
  for (const file of globSync("src/ui/**/*.ts", { cwd: root }).toSorted()) {
    add("browser", `ui/${relative("src/ui", file).replace(/\.ts$/, "")}`, file)
  }
  if (existsSync(join(root, command)) && doors.has("ingest")) add("ingest", "cli/main", command)
  return [...byDoor.values()]
}

/** Folders of the packages in it, relative to the root. */
const bundled = new Set<string>()

/** The licences of everything that was built into `dist`, as they ask for. Types count too. */
const writeNotices = (outDir: string): void => {
  const texts = [...bundled].toSorted().map((path) => {
    const folder = join(root, path)
    const { name, version, license }: { name: string; version: string; license: string } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    )
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    if (file === undefined) throw new Error(`${name} is built into the package but has no licence file.`)
    return `## ${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`
  })
  mkdirSync(outDir, { recursive: true })
  writeFileSync(
    join(outDir, "THIRD-PARTY-NOTICES.md"),
    `# Third-party notices\n\nThis package contains code of the packages below.\n\n${texts.join("\n")}`,
  )
}

const noticesPlugin: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "third-party-notices",
  setup: (build) => {
    build.initialOptions.metafile = true
    build.onEnd(({ metafile }) => {
      for (const output of Object.values(metafile?.outputs ?? {})) {
        for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
          const folder = /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]
          if (folder !== undefined && bytesInOutput > 0) bundled.add(folder)
        }
      }
      writeNotices(build.initialOptions.outdir ?? "dist")
    })
  },
}

/** `debug` is there for file-type's inflater to trace itself by; its Node and browser builds would ask for more. */
export const silentDebugPlugin: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "silent-debug",
  setup: (build) => {
    build.onResolve({ filter: /^debug$/ }, () => ({ path: "debug", namespace: "silent" }))
    build.onLoad({ filter: /.*/, namespace: "silent" }, () => ({ contents: "export default () => () => {}" }))
  },
}

/** Packages whose types are copied into ours. */
const inlinedTypes = ["@standard-schema/spec"]

/**
 * Marks a door as one of the client, for React's server components: an app that calls it on the server reads which
 * function of which module that was, and `RouteConfigSeed` renders there without a module of its own. Rollup, which
 * shakes the tree after esbuild, drops directives; so it is written into the file at last.
 */
const markClient = (file: string): void => {
  writeFileSync(file, `"use client";\n${readFileSync(file, "utf8")}`)
}

/** Takes away the entries of modules that only lead to a chunk, which whoever needs it imports itself. */
const dropUnused = (folder: string): void => {
  const files = globSync("**/*.js", { cwd: folder })
  const imported = new Set(
    files.flatMap((file) =>
      [...readFileSync(join(folder, file), "utf8").matchAll(/["'](\.{1,2}\/[^"']+\.js)["']/g)].map(([, path]) =>
        join(dirname(file), path!),
      ),
    ),
  )
  for (const file of files) if (file.startsWith("ui/") && !imported.has(file)) rmSync(join(folder, file))
}

const shared: Options = {
  outDir: "dist",
  format: "esm",
  platform: "neutral",
  target: ["es2023", "node22"],
  // Svelte's compiler is the user's own, and of the version of the page.
  external: [/^node:/, /\.svelte$/],
  removeNodeProtocol: false,
  // Built by the function below, once, before all groups.
  clean: false,
  silent: true,
}

export default defineConfig(({ outDir = "dist" }) => {
  rmSync(join(root, outDir), { recursive: true, force: true })
  for (const file of globSync("bindings/*/*.svelte", { cwd: root })) {
    cpSync(join(root, file), join(root, outDir, relative("bindings", file)))
  }
  cpSync(join(root, styles), join(root, outDir, basename(styles)))
  // TypeScript 6 asks for the types of all that is imported, also for its effect alone.
  writeFileSync(join(root, outDir, `${basename(styles)}.d.ts`), "export {}\n")
  for (const name of inlinedTypes) bundled.add(`node_modules/${name}`)
  return [
    ...groups().map((entry): Options => ({
      ...shared,
      outDir,
      entry,
      splitting: true,
      // A chunk that is imported for nothing but its effects would be loaded at once by everybody; none has any. What signs
      // requests to S3 imports a module of Node of which nothing is used, and edge runtimes have none.
      treeshake: "react" in entry || "s3" in entry ? { moduleSideEffects: "no-external" } : true,
      ...("react" in entry && {
        onSuccess: async () => {
          dropUnused(join(root, outDir))
          markClient(join(root, outDir, "react.js"))
        },
      }),
      esbuildPlugins: [silentDebugPlugin, noticesPlugin],
      esbuildOptions: (options) => {
        options.mainFields = ["module", "main"]
        options.legalComments = "none"
      },
    })),
    // One program for all doors: their types are one, and TypeScript runs once.
    {
      ...shared,
      outDir,
      entry: Object.fromEntries(doors),
      dts: { only: true, resolve: inlinedTypes },
    },
  ]
})
