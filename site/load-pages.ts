import { globSync, readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Loader, LoaderContext } from "astro/loaders"
import { apiFolder, pageGroups, repository, toPageId } from "./pages.ts"
import { rewritePage } from "./rewrite-page.ts"

interface Source {
  readonly id: string
  /** Absolute. */
  readonly path: string
  readonly idOf: (file: string) => string | undefined
  readonly anchorOf?: (file: string, anchor: string) => string
  /** As the links of its tree name it. */
  readonly file: string
}

/** The pages of the repository: those of the table, read where they are. */
const listPages = (): ReadonlyArray<Source> => {
  const files = pageGroups.flatMap((group) => group.files)
  const known = new Set(files)
  const idOf = (file: string) => (known.has(file) ? toPageId(file) : undefined)
  return files.map((file) => ({ id: toPageId(file), path: join(repository, file), idOf, file }))
}

/**
 * The anchor of a heading in a page of TypeDoc's, which numbers names otherwise than the site where they differ in case
 * alone or are those of members too: there the first one is meant.
 */
const toApiAnchor = (file: string, anchor: string): string => {
  const [, name, count] = /^(.+)-(\d+)$/.exec(anchor) ?? []
  if (name === undefined) return anchor
  const headings = readFileSync(join(apiFolder, file), "utf8").matchAll(/^#+ (.+)$/gm)
  const same = [...headings].filter(([, heading]) => heading!.toLowerCase().replaceAll(/[^\w-]/g, "") === name)
  return same.length > 0 && Number(count) >= same.length ? name : anchor
}

/** The pages of the API reference: those that TypeDoc has written. */
const listApiPages = (): ReadonlyArray<Source> => {
  const files = globSync("**/*.md", { cwd: apiFolder }).toSorted()
  const known = new Set(files)
  const idOf = (file: string) => {
    const path = `api/${file.replace(/\.md$/, "").replace(/(^|\/)index$/, "")}`.replace(/\/$/, "").toLowerCase()
    return known.has(file) ? path.replace("api/sluice/", "api/") : undefined
  }
  return files.map((file) => ({ id: idOf(file)!, path: join(apiFolder, file), idOf, anchorOf: toApiAnchor, file }))
}

/** What Markdown cannot say: wide tables scroll, and whoever has no mouse must get at them; an empty cell is no heading. */
const finish = (html: string): string =>
  html.replaceAll("<table>", '<table tabindex="0">').replaceAll(/<th([^>]*)><\/th>/g, "<td$1></td>")

const load = async ({ store, parseData, renderMarkdown, generateDigest, config }: LoaderContext, source: Source) => {
  const { id, path, idOf, anchorOf, file } = source
  const { title, body } = rewritePage(await readFile(path, "utf8"), file, idOf, anchorOf)
  const isApi = path.startsWith(apiFolder)
  const filePath = relative(fileURLToPath(config.root), path)
  const data = await parseData({
    id,
    filePath,
    data: {
      title,
      // A page of the reference repeats "Parameters" and "Returns" for every name.
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: isApi ? 2 : 3 },
    },
  })
  const markdown = await renderMarkdown(body, { fileURL: pathToFileURL(path) })
  const rendered = { ...markdown, html: finish(markdown.html) }
  const assetImports = markdown.metadata?.imagePaths
  store.set({ id, data, body, filePath, digest: generateDigest(body), rendered, ...(assetImports && { assetImports }) })
}

/** Reads the repository's own Markdown, and the reference: no page is copied. */
export const loadPages = (): Loader => ({
  name: "pages",
  load: async (context) => {
    const sources = [...listPages(), ...listApiPages()]
    context.store.clear()
    for (const source of sources) await load(context, source)
    context.watcher?.add(sources.map(({ path }) => path))
    context.watcher?.on("change", (changed) => {
      const source = sources.find(({ path }) => path === changed)
      if (source === undefined) return
      load(context, source).catch((error: unknown) => context.logger.error(String(error)))
    })
  },
})
