import { readFile, readdir } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import { type Consumer, createConsumer, repository, runIn } from "./consumer.ts"

let consumer: Consumer
let installed: string

beforeAll(async () => {
  consumer = await createConsumer()
  installed = join(consumer.folder, "node_modules/sluice")
})

afterAll(() => consumer.remove())

const declarations = async (): Promise<ReadonlyArray<readonly [string, string]>> => {
  const files = (await readdir(join(installed, "dist"))).filter((file) => file.endsWith(".d.ts"))
  return Promise.all(files.map(async (file) => [file, await readFile(join(installed, "dist", file), "utf8")] as const))
}

/** Where a page's Markdown leads inside the package; not what stands in code. */
const toLinks = (text: string): ReadonlyArray<string> =>
  [
    ...text
      .replaceAll(/^```[\s\S]*?^```/gm, "")
      .replaceAll(/`[^`\n]*`/g, "")
      .matchAll(/\]\(<?([^)\s>]+)|\b(?:src|href)="([^"]+)"/g),
  ]
    .map(([, inMarkdown, inHtml]) => inMarkdown ?? inHtml!)
    .filter((link) => !/^[a-z][a-z+.-]*:/.test(link))

/** The anchors that readers of Markdown make of its headings. */
const toAnchors = (text: string): ReadonlySet<string> => {
  const counts = new Map<string, number>()
  const headings = text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ +(.+?) *$/gm)
  return new Set(
    [...headings].map(([, heading = ""]) => {
      const anchor = heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-")
      const count = counts.get(anchor) ?? 0
      counts.set(anchor, count + 1)
      return count === 0 ? anchor : `${anchor}-${count}`
    }),
  )
}

describe("the packed package", () => {
  it("installs nothing but itself", async () => {
    expect(
      await readdir(join(consumer.folder, "node_modules")).then((names) => names.filter((n) => !n.startsWith("."))),
    ).toEqual(["sluice"])
    expect(packageJson).not.toHaveProperty("dependencies")
  })

  it("has what hashes large files of a bucket in a file of its own, which threads can load, and only that door names", async () => {
    const dist = join(installed, "dist")
    const names = (await readdir(dist)).filter((name) => name.endsWith(".js"))
    const texts = await Promise.all(
      names.map(async (name) => [name, await readFile(join(dist, name), "utf8")] as const),
    )
    const [owner, ...others] = texts.filter(([, text]) => text.includes("function createSHA256(")).map(([name]) => name)
    expect([owner, others]).toEqual([expect.stringMatching(/^sha256-wasm-\w+\.js$/), []])
    const naming = texts.filter(([name, text]) => name !== owner && text.includes(owner!))
    expect(naming.map(([name]) => name)).toEqual(["s3.js"])
    expect(naming[0]![1]).toContain(`import('./${owner}')`)
    const program = `
      const { moduleUrl } = await import(${JSON.stringify(pathToFileURL(join(dist, owner!)).href)})
      const work = "import(" + JSON.stringify(moduleUrl) + ").then(async ({ createSHA256 }) => console.log((await createSHA256()).init().update('abc').digest()))"
      new (await import("node:worker_threads")).Worker(work, { eval: true })`
    const { output } = await runIn(consumer, process.execPath, ["--input-type=module", "-e", program])
    expect(output.trim()).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  })

  it("passes publint, strictly", async () => {
    const { messages, pkg } = await publint({ pkgDir: installed, strict: true, pack: false })
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([])
  })

  it("resolves in every way that ES modules are resolved (attw)", async () => {
    const attw = join(repository, "node_modules/@arethetypeswrong/cli/dist/index.js")
    const { code, output } = await runIn(consumer, process.execPath, [
      attw,
      inject("tarball"),
      "--profile",
      "esm-only",
      "--exclude-entrypoints",
      "styles.css",
      "--no-color",
      "--no-emoji",
    ])
    expect(code, output).toBe(0)
  })

  it("holds what every export names, the licence and the changelog, and no source map whose sources it lacks", async () => {
    const files = new Set((await readdir(installed, { recursive: true })).map((file) => `./${file}`))
    const wanted = Object.values(packageJson.exports).flatMap((entry) =>
      typeof entry === "string" ? [entry] : Object.values(entry),
    )
    const all = [...wanted, packageJson.bin.sluice, "./LICENSE", "./CHANGELOG.md", "./dist/THIRD-PARTY-NOTICES.md"]
    expect(all.filter((file) => !files.has(file))).toEqual([])
    const maps = [...files].filter((file) => file.endsWith(".map"))
    const texts = await Promise.all(maps.map((file) => readFile(join(installed, file), "utf8")))
    const missing = maps.flatMap((file, index) => {
      const { sources, sourcesContent = [] }: { sources: Array<string>; sourcesContent?: Array<string | null> } =
        JSON.parse(texts[index]!)
      return sources.filter((source, at) => !sourcesContent[at] && !files.has(`./${join(dirname(file), source)}`))
    })
    expect(missing).toEqual([])
    const scripts = [...files].filter((file) => file.endsWith(".js"))
    for (const file of scripts) {
      const [, map] = /^\/\/# sourceMappingURL=(.+)$/m.exec(await readFile(join(installed, file), "utf8")) ?? []
      if (map !== undefined) expect(files, file).toContain(`./${join(dirname(file), map)}`)
    }
  })

  it("has every file and heading that its pages link to", async () => {
    const files = (await readdir(installed, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => relative(installed, join(entry.parentPath, entry.name)))
    const pages = files.filter((file) => file.endsWith(".md") && !file.startsWith("dist/"))
    expect(pages).toContain("README.md")
    expect(pages).toContain("docs/frameworks/next.md")
    const texts = new Map(
      await Promise.all(pages.map(async (page) => [page, await readFile(join(installed, page), "utf8")] as const)),
    )
    const anchors = new Map([...texts].map(([page, text]) => [page, toAnchors(text)] as const))
    const dead = [...texts].flatMap(([page, text]) =>
      toLinks(text).flatMap((link) => {
        const [path = "", anchor] = link.split("#")
        const target = path === "" ? page : join(dirname(page), decodeURIComponent(path))
        const isThere = files.includes(target) || files.some((file) => file.startsWith(`${target.replace(/\/$/, "")}/`))
        if (!isThere) return [`${page} links to ${link}, which is not in the package`]
        const isAnchor = anchor === undefined || anchors.get(target)?.has(anchor) !== false
        return isAnchor ? [] : [`${page} links to ${link}, and there is no such heading`]
      }),
    )
    expect(dead).toEqual([])
  })

  it("says how it is installed as it can be today, and claims no address that it does not have", async () => {
    const files = (await readdir(installed, { recursive: true })).filter((file) => /^(README|docs\/.*)\.md$/.test(file))
    for (const file of files) {
      const text = await readFile(join(installed, file), "utf8")
      // Nothing of this name is on npm: whoever tried it would get an error, or one day somebody else's package.
      expect(text, file).not.toMatch(/\b(npm (i|install)|(pnpm|yarn|bun) add) sluice\b/)
      for (const [, version] of text.matchAll(/\bsluice-(\d[\w.+-]*)\.tgz/g))
        expect(version, file).toBe(packageJson.version)
    }
    expect(Object.keys(packageJson).filter((field) => /^(homepage|repository|bugs|funding)$/.test(field))).toEqual([])
    expect(packageJson.keywords).toContain("file-upload")
  })

  it("names the licence of everything that was built in, and docs/dependencies.md the reason", async () => {
    const notices = await readFile(join(installed, "dist/THIRD-PARTY-NOTICES.md"), "utf8")
    const named = [...notices.matchAll(/^## (\S+) /gm)].map(([, name]) => name!)
    expect(named).toContain("effect")
    const reasons = await readFile(join(repository, "docs/dependencies.md"), "utf8")
    expect(named.filter((name) => !reasons.includes(`\`${name}\``))).toEqual([])
  })

  it("has types that mention no package but Node and the frameworks", async () => {
    const peers = new Set(Object.keys(packageJson.peerDependencies))
    const strangers = (await declarations()).flatMap(([file, text]) =>
      [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'".][^'"]*)['"]/g)]
        .map(([, specifier]) => specifier!)
        .filter((specifier) => !specifier.startsWith("node:") && !peers.has(/^(@[^/]+\/)?[^/]+/.exec(specifier)![0]))
        .map((specifier) => `${file}: ${specifier}`),
    )
    expect(strangers).toEqual([])
  })

  it("has a command that says its version", async () => {
    const { code, output } = await runIn(consumer, process.execPath, ["node_modules/.bin/sluice", "--version"])
    expect(output.trim()).toBe(packageJson.version)
    expect(code).toBe(0)
  })
})
