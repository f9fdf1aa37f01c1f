import { readFile, readdir } from "node:fs/promises"
import { join } from "node:path"
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

describe("the packed package", () => {
  it("installs nothing but itself", async () => {
    expect(
      await readdir(join(consumer.folder, "node_modules")).then((names) => names.filter((n) => !n.startsWith("."))),
    ).toEqual(["sluice"])
    expect(packageJson).not.toHaveProperty("dependencies")
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

  it("holds what every export and source map names, the licence and the changelog", async () => {
    const files = new Set((await readdir(installed, { recursive: true })).map((file) => `./${file}`))
    const wanted = Object.values(packageJson.exports).flatMap((entry) =>
      typeof entry === "string" ? [entry] : Object.values(entry),
    )
    const all = [...wanted, packageJson.bin.sluice, "./LICENSE", "./CHANGELOG.md", "./dist/THIRD-PARTY-NOTICES.md"]
    expect(all.filter((file) => !files.has(file))).toEqual([])
    const map = JSON.parse(await readFile(join(installed, "dist/client.js.map"), "utf8")) as { sources: Array<string> }
    expect(map.sources.filter((source) => !files.has(`./${join("dist", source)}`))).toEqual([])
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
