import { readFile } from "node:fs/promises"
import { join } from "node:path"

/** Tools that set `NODE_ENV` themselves, differently for each of their commands: `next dev` and `next start`. */
const knowing =
  /(^|[\s/\\])(next|vite|nuxt|nuxi|astro|react-router|react-router-serve|vinxi|svelte-kit|wrangler)(\.\w+)?(?=\s|$)/

const runners = /^(npm|pnpm|yarn|bun)(\.cmd)?$/

/** The script that a package manager would run; undefined where the command is not a script of package.json. */
const findScript = async ([runner = "", ...words]: ReadonlyArray<string>, folder: string): Promise<unknown> => {
  if (!runners.test(runner)) return undefined
  const name = words.find((word) => !word.startsWith("-") && word !== "run")
  if (name === undefined) return undefined
  try {
    return JSON.parse(await readFile(join(folder, "package.json"), "utf8"))?.scripts?.[name]
  } catch {
    return undefined
  }
}

/**
 * `NODE_ENV` for the server that `sluice dev` starts, where it is not set: `development`; nothing for a tool that sets
 * it itself, because production builds are tried with `sluice dev` too.
 */
export const toNodeEnv = async (
  command: ReadonlyArray<string>,
  folder: string,
): Promise<{ readonly NODE_ENV?: string }> => {
  if (process.env["NODE_ENV"]) return {}
  const script = await findScript(command, folder)
  return knowing.test(typeof script === "string" ? script : command.join(" ")) ? {} : { NODE_ENV: "development" }
}
