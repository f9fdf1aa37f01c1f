import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { build, transform } from "esbuild"
import { format, resolveConfig } from "prettier"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { compileSvelte } from "../bindings/compile-svelte.ts"
import { toClient } from "../../src/cli/init/templates.ts"
import packageJson from "../../package.json" with { type: "json" }
import { lighten } from "../lighten.ts"
import { bundleForSize, type Chunk, gzip, gzipSize, minified } from "./bundle-for-size.ts"
import { type Consumer, createConsumer, repository } from "./consumer.ts"

let consumer: Consumer

beforeAll(async () => {
  consumer = await createConsumer(Object.keys(packageJson.peerDependencies))
})

afterAll(() => consumer.remove())

const bundle = (code: string, options?: Parameters<typeof bundleForSize>[2]) =>
  bundleForSize(consumer.folder, code, options)

const atOnce = (chunks: ReadonlyArray<Chunk>) => chunks.filter(({ isLazy }) => !isLazy)
const later = (chunks: ReadonlyArray<Chunk>) => chunks.filter(({ isLazy }) => isLazy)

const report = (name: string, chunks: ReadonlyArray<Chunk>): number => {
  const say = (some: ReadonlyArray<Chunk>) => `${gzip(some)} bytes gzip (${minified(some)} minified)`
  console.log(`${name}: ${say(atOnce(chunks))}; loaded only when needed: ${say(later(chunks))}`)
  return gzip(atOnce(chunks))
}

/** What users import, and what it is for. */
const imports: ReadonlyArray<readonly [what: string, code: string]> = [
  ["`generateUploader`", 'export { generateUploader } from "sluice/client"'],
  ["`createResumeStore`", 'export { createResumeStore } from "sluice/resume"'],
  [
    "both of them",
    'export { generateUploader } from "sluice/client"; export { createResumeStore } from "sluice/resume"',
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
  const [now, then] = [atOnce(chunks), later(chunks)]
  return `| ${name} | ${toKilobytes(minified(now))} | ${toKilobytes(gzip(now))} | ${then.length === 0 ? "" : toKilobytes(gzip(then))} |`
}

/** What components load when, by the name of the module. */
const features: Readonly<Record<string, string>> = {
  engine: "somebody comes near it, or a file is chosen: choosing, checking, uploading, announcements, keys, summary",
  "watch-previews": "a file is chosen whose picture is to be shown",
  "drags-on-page": "files are held over the page",
  "page-drop": "files are held over a page with `config.dropOnPage`",
  "form-field": "it has a `name`, is `required` or has `config.uploadOnSubmit`",
  "watch-undo": "a file was removed, and can come back",
  "reorder-rows": "two files are listed, with `config.reorder`",
  "rename-rows": "a file waits for its upload, with `config.rename`",
  "crop-picture": "a picture is chosen for an avatar",
  "tray-panel": "there are uploads for a tray",
  "read-folder": "a folder is dropped",
  "pick-with-handles": "the file dialog is opened, with a `resumeStore`",
  "listen-to-paste": "it has `config.appendOnPaste`",
  "pasted-images": "an image is pasted, with `config.appendOnPaste`",
  "ask-again": "the route handler did not say what its routes take",
}

const header = "| | minified | gzip | loaded when needed |\n| --- | ---: | ---: | ---: |"

/** `docs/sizes.md`, as it should be. */
const writeTable = async (): Promise<string> => {
  const peers = Object.keys(packageJson.peerDependencies)
  const browser = { external: peers }
  const node = { external: peers, platform: "node" } as const
  const rows: Array<string> = []
  for (const [what, code] of imports) rows.push(toRow(what, await bundle(code, browser)))
  const styles = await readFile(join(consumer.folder, "node_modules/sluice/dist/styles.css"))
  const { code } = await transform(styles, { loader: "css", minify: true })
  rows.push(`| \`sluice/styles.css\` | ${toKilobytes(code.length)} | ${toKilobytes(gzipSize(code))} | |`)
  const built = lighten(styles)
  rows.push(`| … for the browsers of Vite 8 | ${toKilobytes(built.length)} | ${toKilobytes(gzipSize(built))} | |`)
  const named = later(await bundle('export * from "sluice/react"', browser)).filter(({ name }) => name !== undefined)
  expect(named.map(({ name }) => name).toSorted((a, b) => a!.localeCompare(b!))).toEqual(
    Object.keys(features).toSorted(),
  )
  const parts = Object.entries(features).map(([name, when]) => {
    const chunks = named.filter((chunk) => chunk.name === name)
    return `| ${when} | ${toKilobytes(minified(chunks))} | ${toKilobytes(gzip(chunks))} |`
  })
  const doors: Array<string> = []
  for (const name of Object.keys(packageJson.exports).filter((path) => !/\.(?:json|css)$/.test(path))) {
    const door = name.replace(".", "sluice")
    doors.push(toRow(`\`${door}\``, await bundle(`export * from "${door}"`, node)))
  }
  return `# Sizes

In kB (1,000 bytes), as Rolldown, the bundler of Vite, makes it of the packed package: minified, ES2022, without the framework itself. Made by
\`test/package/size.test.ts\`, which fails when it is more than 2 % out of date: \`npx vitest run --project package -u\` writes it anew.

## What a browser loads

${[header, ...rows].join("\n")}

Imports share what they have in common: an uploader beside components costs next to nothing. A file stands for what
bundlers make of what is loaded together.

## What components load when

| when | minified | gzip |
| --- | ---: | ---: |
${parts.join("\n")}

What several of these need is in none of them.

## Every entry, with all it exports

${[header, ...doors].join("\n")}
`
}

/** Whether two tables say the same but for small differences of their figures. */
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

  it("the client is at most 6 kB, without Effect and without sqids", async () => {
    const chunks = await bundle('export { generateUploader } from "sluice/client"')
    expect(report("sluice/client generateUploader", chunks)).toBeLessThanOrEqual(6_000)
    for (const { text } of chunks) {
      expect(text).not.toMatch(/effect\//i)
      expect(text).not.toMatch(/sqids/i)
    }
  })

  it("a button is at most 9 kB at once, a dropzone 11 kB", async () => {
    const external = Object.keys(packageJson.peerDependencies)
    for (const [name, most] of [
      ["generateUploadButton", 9_000],
      ["generateUploadDropzone", 11_000],
    ] as const) {
      const chunks = await bundle(`export { ${name} } from "sluice/react"`, { external })
      expect(report(`sluice/react ${name}`, chunks)).toBeLessThanOrEqual(most)
    }
  })

  it("a page is not the heavier for all that sluice init puts beside what it imports", async () => {
    const external = Object.keys(packageJson.peerDependencies).flatMap((name) => [name, `${name}/*`])
    for (const library of ["react", "vue", "svelte", "solid"] as const) {
      const { text } = toClient("upload.ts", library, "./router")
      await writeFile(join(consumer.folder, "upload.ts"), text.replace('import "sluice/styles.css"\n', ""))
      for (const name of ["UploadButton", "UploadDropzone", "UploadAvatar"]) {
        const generated = await bundle(`export { ${name} } from "./upload.ts"`, { external })
        const alone = await bundle(
          `import { generate${name} } from "sluice/${library}"; export const ${name} = generate${name}()`,
          { external },
        )
        // A dropzone or a hook that is not left out is thousands.
        expect(minified(atOnce(generated)), `${library}: ${name}`).toBeLessThan(minified(atOnce(alone)) + 200)
      }
      const all = await bundle(`export { UploadTray, uploads, useUploader } from "./upload.ts"`, { external })
      expect(minified(atOnce(all))).toBeGreaterThan(0)
    }
  })

  it("the route handler is at most 49 kB", async () => {
    const chunks = await bundle('export { createRouteHandler } from "sluice/server"')
    expect(report("sluice/server createRouteHandler", chunks)).toBeLessThanOrEqual(49_050)
  })

  it("no door needs anything of Node to be bundled for a browser or an edge runtime", async () => {
    // The suites of `sluice/conformance` run where tests run.
    const doors = Object.keys(packageJson.exports).filter(
      (name) => !/package\.json|styles\.css|next|sveltekit|express|hono|conformance/.test(name),
    )
    for (const door of doors) {
      const contents = `export * from "${door.replace(".", "sluice")}"`
      const stdin = { contents, resolveDir: consumer.folder }
      const plugins = [compileSvelte("client")]
      await build({ stdin, bundle: true, format: "esm", platform: "browser", write: false, plugins })
    }
    expect(doors).toContain("./server")
  })
})
