import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { encodeToken } from "../src/protocol.ts"
import { bundlePage } from "./bindings/bundle-page.ts"
import { compileSvelte } from "./bindings/compile-svelte.ts"
import { startSite } from "./bindings/start-site.ts"
import { launchChromium } from "./browser/chromium.ts"
import { pixel } from "./browser/pixel.ts"
import { type Block, readBlocks } from "./code-blocks.ts"
import { type ImportedBlocks, writeBlocks } from "./import-blocks.ts"

declare global {
  interface Window {
    /** What the policy refused. */
    refused: Array<string>
  }
}

const bindings = {
  React: () => bundlePage("react.ts"),
  Vue: () => bundlePage("vue.ts"),
  Svelte: () => bundlePage("svelte.ts", [compileSvelte("client")]),
  Solid: () => bundlePage("solid.ts"),
  "the element": () => bundlePage("element.ts"),
}

const root = join(import.meta.dirname, "..")
const placeholder = "https://files.example.com"
let blocks: ImportedBlocks
let nextBlocks: ReadonlyArray<Block>
let toPolicy: (ingest: string, nonce?: string) => string
let browser: Browser
let styles: string

beforeAll(async () => {
  const all = readBlocks(await readFile(join(root, "docs/csp.md"), "utf8")).filter(({ path }) => path !== "")
  nextBlocks = all.filter(({ path }) => path === "next.config.ts")
  blocks = await writeBlocks(all)
  toPolicy = (await blocks.load("content-security-policy.ts"))["toContentSecurityPolicy"] as typeof toPolicy
  ;[browser, styles] = await Promise.all([launchChromium(), readFile(join(root, "src/ui/styles.css"), "utf8")])
})
afterAll(async () => {
  await browser?.close()
  await blocks?.remove()
})

/** Opens a dropzone under a policy. @param act what is done there; the page is closed after it */
const visit = async <A>(
  script: string,
  policy: (ingest: string) => string,
  act: (page: Page, ingestUrl: string) => Promise<A>,
  nonce?: string,
): Promise<A> => {
  const site = await startSite({ script, styles, policy, ...(nonce !== undefined && { nonce }) })
  const page = await browser.newPage()
  try {
    await page.addInitScript(() => {
      window.refused = []
      document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
        window.refused.push(`${effectiveDirective} ${blockedURI}`),
      )
    })
    await page.goto(`${site.url}/?component=dropzone&endpoint=anything&look`)
    return await act(page, site.ingestUrl)
  } finally {
    await page.close()
    await site.close()
  }
}

const refusedOf = (page: Page) => page.evaluate(() => window.refused)

/** Chooses a picture and a video, looks at the picture's preview, uploads them and shows the picture that is stored. */
const uploadPicture = async (page: Page, ingestUrl: string) => {
  await page.locator('[data-sluice="container"][data-state="idle"]').waitFor()
  await page.setInputFiles("input[type=file]", [
    { name: "a.png", mimeType: "image/png", buffer: pixel },
    // No browser can play it, but first it has to be allowed to look.
    { name: "b.webm", mimeType: "video/webm", buffer: Buffer.from("\x1aE\xdf\xa3", "latin1") },
  ])
  await page.waitForFunction(
    () => document.querySelector<HTMLImageElement>("[data-sluice=container] img")?.naturalWidth,
  )
  const answer = page.waitForResponse(
    (response) =>
      response.url().startsWith(ingestUrl) &&
      response.url().includes("a.png") &&
      ["PUT", "POST"].includes(response.request().method()),
  )
  const [answered] = await Promise.all([answer, page.locator('[data-sluice="upload-button"]').click()])
  await page.locator('[data-sluice="container"][data-state="done"]').waitFor()
  const { url } = (await answered.json()) as { url: string }
  return page.evaluate(async (src) => {
    const image = new Image()
    image.src = src
    await image.decode()
    return image.naturalWidth
  }, url)
}

describe("under the policy of docs/csp.md", () => {
  it.each(Object.entries(bindings))("a picture is previewed, uploaded and shown by %s", async (_, bundle) => {
    await visit(
      await bundle(),
      (ingest) => toPolicy(ingest),
      async (page, ingestUrl) => {
        expect(await uploadPicture(page, ingestUrl)).toBe(1)
        expect(await refusedOf(page)).toEqual([])
      },
    )
  })

  it("the same is true with a nonce, and without it no script runs", async () => {
    const script = await bindings.React()
    const withNonce = (ingest: string) => toPolicy(ingest, "bm9uY2U")
    const upload = async (page: Page, ingestUrl: string) => {
      expect(await uploadPicture(page, ingestUrl)).toBe(1)
      expect(await refusedOf(page)).toEqual([])
    }
    await visit(script, withNonce, upload, "bm9uY2U")
    await visit(script, withNonce, async (page) => {
      expect(await refusedOf(page)).toEqual([expect.stringMatching(/^script-src-elem /)])
    })
  })

  it("there is no source that could be left out", async () => {
    const script = await bindings.React()
    const directives = toPolicy(placeholder).split("; ")
    const sources = directives
      .filter((directive) => /^(script|style|connect|img|media)-src /.test(directive))
      .flatMap((directive) => {
        const [name = "", ...others] = directive.split(" ")
        return others.map((source) => ({ name, source }))
      })
    expect(sources.map(({ name, source }) => `${name} ${source}`)).toEqual([
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      `connect-src ${placeholder}`,
      "img-src blob:",
      "img-src data:",
      `img-src ${placeholder}`,
      "media-src blob:",
    ])
    for (const { name, source } of sources) {
      const without = (ingest: string) =>
        toPolicy(placeholder)
          .split("; ")
          .map((directive) => (directive.startsWith(`${name} `) ? directive.replace(` ${source}`, "") : directive))
          .join("; ")
          .replaceAll(placeholder, ingest)
      await visit(script, without, async (page, ingestUrl) => {
        const shown = uploadPicture(page, ingestUrl).catch(() => undefined)
        await page.waitForFunction(() => window.refused.length > 0)
        const [first = ""] = await refusedOf(page)
        expect(first.startsWith(name), `${name} ${source}: ${first}`).toBe(true)
        await page.close()
        await shown
      })
    }
  })
})

/** What is read of a configuration here; the types of Next.js would reach every other file. */
interface NextConfig {
  readonly headers: () => Promise<ReadonlyArray<{ readonly headers: ReadonlyArray<{ readonly value: string }> }>>
}

describe("the policy of docs/csp.md for Next.js", () => {
  /** One for each environment: the file reads it when it is loaded. */
  const pages: Array<ImportedBlocks> = []
  afterAll(async () => {
    for (const page of pages) await page.remove()
  })
  const toHeader = async (env: Readonly<Record<string, string>>): Promise<string> => {
    for (const name of ["SLUICE_INGEST_URL", "SLUICE_TOKEN"]) vi.stubEnv(name, env[name])
    try {
      const page = await writeBlocks(nextBlocks)
      pages.push(page)
      const config = (await page.load("next.config.ts"))["default"] as NextConfig
      return (await config.headers())[0]!.headers[0]!.value
    } finally {
      vi.unstubAllEnvs()
    }
  }
  const token = encodeToken({ apiKey: "sk_1", appId: "app", regions: ["local"], ingestUrl: "http://localhost:4807" })

  it("names the ingest where it is, as the route handler finds it", async () => {
    expect(await toHeader({ SLUICE_TOKEN: token })).toContain("connect-src 'self' http://localhost:4807;")
    const url = "https://files.example.com/below"
    const policy = await toHeader({ SLUICE_TOKEN: token, SLUICE_INGEST_URL: url })
    expect(policy).toContain("connect-src 'self' https://files.example.com;")
    expect(policy).toMatch(/img-src 'self' blob: data: https:\/\/files\.example\.com$/)
  })

  it("fails with what to set where nothing says it", async () => {
    await expect(toHeader({})).rejects.toThrow("Set SLUICE_INGEST_URL")
  })
})
