import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { toMarker } from "../../site/llms.ts"
import { pixel } from "../browser/pixel.ts"
import { readBlocks } from "../code-blocks.ts"
import { type Consumer, createConsumer } from "./consumer.ts"
import { tryApp, writeFiles } from "./try-app.ts"

const next = createRequire(import.meta.url).resolve("next/dist/bin/next")

let consumer: Consumer

beforeAll(async () => {
  consumer = await createConsumer(["next", "react", "react-dom", "typescript", "@types/node", "@types/react"])
})

afterAll(() => consumer.remove())

/** Reads a file of the installed package. */
const read = (name: string): Promise<string> => readFile(join(consumer.folder, "node_modules/sluice", name), "utf8")

describe("an assistant that has nothing but what the package says to assistants", () => {
  it("finds the page of Next.js in the list, and the same page in the whole", async () => {
    const [, file] = /\[Next\.js, App Router\]\(([^)]+)\)/.exec(await read("llms.txt"))!
    const [, text] = (await read("llms-full.txt")).split(`${toMarker(file!)}\n`)
    const [page] = text!.split("<!-- file: ")
    expect(readBlocks(page!)).toEqual(readBlocks(await read(file!)))
  })

  it("wires a Next.js app from the blocks and their file names; built, it takes an upload", async () => {
    const [, text] = (await read("llms-full.txt")).split(`${toMarker("docs/frameworks/next.md")}\n`)
    const [page] = text!.split("<!-- file: ")
    const blocks = readBlocks(page!).filter(({ path }) => path !== "")
    const files = Object.fromEntries(blocks.map(({ path, code }) => [path, code]))
    expect(Object.keys(files)).toContain("app/page.tsx")
    await writeFiles(consumer, {
      ...files,
      // Not of the app: its packages are links that lead out of its folder.
      "next.config.mjs": `export default { turbopack: { root: "/" }, outputFileTracingRoot: "/" }\n`,
    })
    let stored: { readonly url: string } | undefined
    const { html, complaints } = await tryApp(
      consumer,
      {
        env: { NEXT_TELEMETRY_DISABLED: "1" },
        build: [next, "build"],
        start: (port) => [next, "start", "-H", "127.0.0.1", "-p", port],
      },
      async (page, upload) => {
        const [answer] = await Promise.all([
          page.waitForResponse((response) => response.url().includes("signature=") && response.ok()),
          upload(),
        ])
        stored = ((await answer.json()) as { serverData: { url: string } }).serverData
        const bytes = Buffer.from(await (await fetch(stored.url)).arrayBuffer())
        expect(createHash("sha256").update(bytes).digest("hex")).toBe(createHash("sha256").update(pixel).digest("hex"))
      },
    )
    expect(html).toContain('data-sluice="container"')
    expect(stored?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/f\//)
    expect(complaints.filter((complaint) => !complaint.includes("favicon") && !complaint.includes("404"))).toEqual([])
  })
})
