import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { createElement, type ComponentType, type ReactNode } from "react"
import { renderToString } from "react-dom/server"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { RouteConfigSeed } from "../bindings/react.ts"
import { extractRouteConfig, type FileRouter } from "../src/server.ts"
import { readBlocks } from "./code-blocks.ts"
import { type ImportedBlocks, writeBlocks } from "./import-blocks.ts"

interface Page {
  readonly UploadDropzone: ComponentType<{ readonly endpoint: string }>
  readonly Seed: ComponentType<{
    readonly routes: ReturnType<typeof extractRouteConfig>
    readonly children: ReactNode
  }>
}

describe("the app below a path of docs/components.md", () => {
  let blocks: ImportedBlocks
  let page: Page
  let routes: ReturnType<typeof extractRouteConfig>

  beforeAll(async () => {
    const all = readBlocks(await readFile(join(import.meta.dirname, "../docs/components.md"), "utf8"))
    blocks = await writeBlocks(all.filter(({ path }) => ["router.ts", "below-a-path.tsx"].includes(path)))
    page = (await blocks.load("below-a-path.tsx")) as unknown as Page
    routes = extractRouteConfig((await blocks.load("router.ts"))["router"] as FileRouter)
  })
  afterAll(() => blocks?.remove())

  it("has the limits in the first HTML", () => {
    const html = renderToString(createElement(page.Seed, { routes, children: dropzone() }))
    expect(html).toContain("1 image, ")
    expect(html).not.toContain("Loading…")
  })

  it("has none where the seed lacks the path", () => {
    const html = renderToString(createElement(RouteConfigSeed, { routes, children: dropzone() }))
    expect(html).toContain("Loading…")
  })

  const dropzone = () => createElement(page.UploadDropzone, { endpoint: "avatar" })
})
