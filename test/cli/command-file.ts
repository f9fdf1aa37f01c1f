import { existsSync, globSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { createHash } from "node:crypto"
import { join, resolve } from "node:path"
import { build } from "esbuild"

const root = resolve(import.meta.dirname, "../..")
const cache = join(root, "node_modules/.cache/command")

/** How long what was made of sources that have changed since is kept, ms: a run of the tests may still use it. */
const keptFor = 24 * 60 * 60_000

/** Another one as soon as anything that the command is made of changes. */
const toStamp = (): string => {
  const hash = createHash("sha256")
  for (const file of ["package.json", "package-lock.json", ...globSync("src/**/*", { cwd: root }).toSorted()]) {
    const { mtimeMs, size } = statSync(join(root, file))
    hash.update(`${file} ${mtimeMs} ${size}\n`)
  }
  return hash.digest("hex").slice(0, 16)
}

/** Makes room: what nobody has used for a day goes. */
const removeOld = (): void => {
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name)
    if (Date.now() - statSync(folder).mtimeMs > keptFor) rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The `sluice` command in few files, as the package has it: it starts in a third of the time that its sources take. It is
 * made once for all tests, and anew when a source changes.
 *
 * @returns the file that Node runs
 */
const makeCommand = async (): Promise<string> => {
  const folder = join(cache, toStamp())
  const file = join(folder, "main.js")
  if (existsSync(file)) return file
  const own = `${folder}.${process.pid}`
  await build({
    entryPoints: { main: join(root, "src/cli/main.ts") },
    outdir: own,
    // A worker imports the piece that it needs, and not the whole command.
    splitting: true,
    bundle: true,
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"],
    external: ["pg-native"],
    banner: {
      js: `import { createRequire as toRequire } from "node:module"; const require = toRequire(import.meta.url);`,
    },
    logLevel: "error",
  })
  mkdirSync(cache, { recursive: true })
  try {
    renameSync(own, folder)
  } catch {
    // Another process was first.
    rmSync(own, { recursive: true, force: true })
  }
  removeOld()
  return file
}

/** The command's file, for Node. */
export const commandFile: string = await makeCommand()
