import { existsSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { CommandFailed, type Place, run } from "./shell.ts"

/** What `sluice init` has written and has told a newcomer to do. */
export interface Advice {
  /** What it printed. */
  readonly text: string
  /** What is to be added to a server by hand, where it says so. */
  readonly mount: { readonly file: string; readonly code: string } | null
  /** Whether a page has to import the stylesheet itself. */
  readonly asksForStylesheet: boolean
  /** What it says that is not so. */
  readonly faults: ReadonlyArray<string>
}

interface Described {
  readonly mount: Advice["mount"]
}

/** Runs `npx sluice init --yes` and reads what it says, as a newcomer does. */
export const followInit = async (place: Place): Promise<Advice> => {
  const { stdout } = await run("npx sluice init --dry-run --json", place)
  const { mount } = JSON.parse(stdout) as Described
  const { output: text } = await run("npx sluice init --yes", place)
  const next = text.slice(text.indexOf("\nNext\n"))
  const faults = [...next.matchAll(/\S*docs\/\S+\.md/g)]
    .filter(([doc]) => !existsSync(join(place.cwd, doc)))
    .map(([doc]) => `\`sluice init\` names ${doc}, and there is no such file`)
  return { text, mount, asksForStylesheet: /import "sluice\/styles\.css"/.test(next), faults }
}

/** The line that a page has where `init` asks for it; else the page trusts what was written elsewhere. */
const stylesheetLine = ({ asksForStylesheet }: Advice): string =>
  asksForStylesheet ? `import "sluice/styles.css"\n` : ""

/** A page of an application, and how it imports what makes the components. */
export interface PageOfApp {
  readonly path: string
  readonly client: string
}

/**
 * Writes the page that `init` names, else the usual one, with button and dropzone as it says to put them there.
 *
 * Fails: where it says nothing of them.
 */
export const writePage = async (
  advice: Advice,
  folder: string,
  usual: PageOfApp,
  toText: (imports: string, components: string) => string,
): Promise<void> => {
  const { text } = advice
  const button = /<UploadButton [^>]*\/>/.exec(text)?.[0]
  if (button === undefined) {
    throw new CommandFailed("npx sluice init --yes", "does not say what to put on a page:", text)
  }
  const path = /on a page, for example (\S+):/.exec(text)?.[1] ?? usual.path
  const client = /import \{ UploadButton \} from "([^"]+)"/.exec(text)?.[1] ?? usual.client
  if (!existsSync(join(folder, path))) throw new Error(`\`sluice init\` names ${path}, and there is no such page.`)
  const imports = `${stylesheetLine(advice)}import { UploadButton, UploadDropzone } from "${client}"\n`
  await writeFile(
    join(folder, path),
    toText(imports, `${button}\n      ${button.replace("UploadButton", "UploadDropzone")}`),
  )
}

/** The markup that `init` shows for pages that no bundler makes, and the dropzone too. Fails: where it shows none. */
export const markupOf = ({ text }: Advice): string => {
  const lines = text.split("\n").map((line) => line.trim())
  const markup = lines.filter((line) => /^<(link|script|sluice-)/.test(line))
  const button = markup.find((line) => line.startsWith("<sluice-button"))
  if (button === undefined) {
    throw new CommandFailed("npx sluice init --yes", "says nothing about the page of a server without a bundler:", text)
  }
  return [...new Set(markup), button.replaceAll("sluice-button", "sluice-dropzone")].join("\n")
}

/** Adds what `init` shows to a server: imports on top, the rest before a line of its own. */
export const mountRoutes = async ({ mount }: Advice, folder: string, before: string): Promise<void> => {
  if (mount === null) return
  const file = join(folder, mount.file)
  if (!existsSync(file))
    throw new Error(`\`sluice init\` says to add lines to ${mount.file}, and there is no such file.`)
  const lines = mount.code.split("\n")
  const imports = lines.filter((line) => line.startsWith("import "))
  const others = lines.filter((line) => !line.startsWith("import ") && line !== "")
  const text = await readFile(file, "utf8")
  if (!text.includes(before)) throw new Error(`${mount.file} has no line ${before}`)
  await writeFile(file, `${imports.join("\n")}\n${text.replace(before, () => `${others.join("\n")}\n${before}`)}`)
}
