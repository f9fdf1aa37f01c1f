import { createServer } from "node:http"
import { createRequire } from "node:module"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import sharp from "sharp"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { SluiceApi } from "../src/api.ts"
import { encodeToken } from "../src/protocol.ts"
import { listen } from "./adapters/apps/listen.ts"
import { pixel } from "./browser/pixel.ts"
import { readBlocks } from "./code-blocks.ts"
import { type ImportedBlocks, writeBlocks } from "./import-blocks.ts"
import { startIngest, token } from "./ingest/circle.ts"

const pages = ["images.md", "csp.md"]

/** What is tried of Next.js's own: its types would make `NODE_ENV` a must in every environment of this project. */
interface NextConfig {
  readonly images: { readonly remotePatterns: ReadonlyArray<object>; readonly dangerouslyAllowLocalIP: boolean }
}
const require = createRequire(import.meta.url)
const { matchRemotePattern } = require("next/dist/shared/lib/match-remote-pattern.js") as {
  matchRemotePattern: (pattern: object, url: URL) => boolean
}
const { fetchExternalImage } = require("next/dist/server/image-optimizer.js") as {
  fetchExternalImage: (url: string, allowsLocal: boolean, maximum: number) => Promise<{ buffer: Buffer }>
}

/** Whether Next.js takes a picture for its optimizer. */
const isTaken = ({ images }: NextConfig, url: string): boolean =>
  images.remotePatterns.some((pattern) => matchRemotePattern(pattern, new URL(url)))

/** Whether it may fetch from this machine. */
const fetchWith = ({ images }: NextConfig, origin: string) =>
  fetchExternalImage(`${origin}/f/abc`, images.dangerouslyAllowLocalIP, 1_000_000)

const toToken = (ingestUrl: string): string =>
  encodeToken({ apiKey: "sk_1", appId: "app", regions: ["local"], ingestUrl })

describe.each(pages)("Next.js with the configuration of docs/%s", (page) => {
  const folders: Array<ImportedBlocks> = []
  let pictures: Awaited<ReturnType<typeof listen>>

  /** The configuration as `next build`, `next start` or `sluice dev` would read it. */
  const load = async (env: Readonly<Record<string, string>>): Promise<NextConfig> => {
    for (const name of ["NODE_ENV", "SLUICE_INGEST_URL", "SLUICE_TOKEN"]) vi.stubEnv(name, env[name])
    try {
      const markdown = await readFile(join(import.meta.dirname, "../docs", page), "utf8")
      const blocks = await writeBlocks(readBlocks(markdown).filter(({ path }) => path === "next.config.ts"))
      folders.push(blocks)
      return (await blocks.load("next.config.ts"))["default"] as NextConfig
    } finally {
      vi.unstubAllEnvs()
    }
  }
  const production = (ingestUrl: string) => load({ NODE_ENV: "production", SLUICE_TOKEN: toToken(ingestUrl) })

  beforeAll(async () => {
    pictures = await listen(
      createServer((_, response) => response.writeHead(200, { "content-type": "image/png" }).end(pixel)),
    )
  })
  afterAll(async () => {
    await pictures?.close()
    for (const folder of folders) await folder.remove()
  })

  it("optimizes public files of the ingest that the token names, and of no other", async () => {
    const config = await production("https://files.example.com")
    expect(isTaken(config, "https://files.example.com/f/abc")).toBe(true)
    for (const url of [
      "https://elsewhere.example.com/f/abc",
      "http://files.example.com/f/abc",
      "https://files.example.com:8443/f/abc",
      "https://files.example.com/api/abc",
      "http://localhost:4790/f/abc",
    ])
      expect(isTaken(config, url), url).toBe(false)
  })

  it("takes SLUICE_INGEST_URL first, with its path", async () => {
    const config = await load({
      NODE_ENV: "production",
      SLUICE_TOKEN: toToken("http://localhost:4790"),
      SLUICE_INGEST_URL: "https://example.net/files/",
    })
    expect(isTaken(config, "https://example.net/files/f/abc")).toBe(true)
    expect(isTaken(config, "https://example.net/f/abc")).toBe(false)
    expect(isTaken(config, "http://localhost:4790/f/abc")).toBe(false)
  })

  it("shows pictures of an ingest on this machine, in development and in a trial of production", async () => {
    const ingestUrl = pictures.origin
    for (const environment of ["development", "production"]) {
      const config = await load({ NODE_ENV: environment, SLUICE_TOKEN: toToken(ingestUrl) })
      expect(isTaken(config, `${ingestUrl}/f/abc`)).toBe(true)
      expect((await fetchWith(config, ingestUrl)).buffer).toEqual(pixel)
    }
    expect((await production("http://localhost:4790")).images.dangerouslyAllowLocalIP).toBe(true)
  })

  it("fetches nothing from this machine where the ingest is elsewhere", async () => {
    const config = await production("https://files.example.com")
    await expect(fetchWith(config, pictures.origin)).rejects.toThrow()
  })

  it("keeps no copy of a private file", async () => {
    const query = "?expires=1&signature=hmac-sha256%3D00"
    for (const origin of ["https://files.example.com", "http://localhost:4790"])
      expect(isTaken(await production(origin), `${origin}/f/abc${query}`)).toBe(false)
  })

  it("fails with what to set where nothing says where the ingest is", async () => {
    await expect(load({ NODE_ENV: "production" })).rejects.toThrow("Set SLUICE_INGEST_URL")
  })
})

it("signs no URL of a private picture before somebody asks for the page", async () => {
  vi.stubEnv("SLUICE_TOKEN", toToken("https://files.example.com"))
  const markdown = await readFile(join(import.meta.dirname, "../docs/images.md"), "utf8")
  const blocks = await writeBlocks(readBlocks(markdown).filter(({ path }) => path === "private-picture.tsx"))
  try {
    interface Element {
      readonly type: (props: object) => Promise<object>
      readonly props: { readonly children: Element }
    }
    const picture = (await blocks.load("private-picture.tsx"))["PrivatePicture"] as (props: object) => Element
    const { type: render, props } = picture({ fileKey: "none", name: "a" }).props.children
    // Here nobody asks: what Next.js says of `connection()`. A key that is none would be refused by what signs.
    await expect(render(props)).rejects.toThrow("outside a request scope")
  } finally {
    vi.unstubAllEnvs()
    await blocks.remove()
  }
})

it("stores a small picture beside the large one, upright and without where it was taken", async () => {
  const ingest = await startIngest({ defaultAcl: "public-read" })
  vi.stubEnv("SLUICE_TOKEN", token)
  vi.stubEnv("SLUICE_INGEST_URL", ingest.url)
  const markdown = await readFile(join(import.meta.dirname, "../docs/images.md"), "utf8")
  const blocks = await writeBlocks(readBlocks(markdown).filter(({ path }) => path === "thumbnails.ts"))
  try {
    const storeThumbnail = (await blocks.load("thumbnails.ts"))["storeThumbnail"] as (
      key: string,
      owner: string,
    ) => Promise<string>
    const api = new SluiceApi({ token, ingestUrl: ingest.url })
    const photo = await sharp({ create: { width: 2000, height: 1000, channels: 3, background: "red" } })
      .jpeg()
      .withExif({ IFD3: { GPSLatitude: "52/1 31/1 0/1" } })
      .withMetadata({ orientation: 6 })
      .toBuffer()
    const { data } = await api.uploadFiles(new File([new Uint8Array(photo)], "me.jpg", { type: "image/jpeg" }), {
      labels: { owner: "ada" },
    })
    const key = await storeThumbnail(data!.key, "ada")
    const { files } = await api.listFiles()
    const small = files.find(({ customId }) => customId === `small/${data!.key}`)!
    expect(small).toMatchObject({ type: "image/webp", name: `${data!.key}.webp` })
    const answer = await fetch(await api.generateSignedURL(`small/${data!.key}`, { keyType: "customId" }))
    const { width, height, exif } = await sharp(await answer.arrayBuffer()).metadata()
    expect({ width, height, exif }).toEqual({ width: 320, height: 640, exif: undefined })
    // It is as private as the photo, and goes with its owner's files.
    const bare = `${ingest.url}/f/${key}`
    expect((await fetch(bare)).status).toBe(403)
    await api.deleteFiles({ owner: "ada" })
    expect((await fetch(bare)).status).toBe(404)
    await expect(storeThumbnail("none", "ada")).rejects.toThrow()
  } finally {
    vi.unstubAllEnvs()
    await blocks.remove()
  }
})
