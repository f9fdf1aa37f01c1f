import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import { skipLacking } from "../skip-lacking.ts"
import { type Consumer, createConsumer, repository, runIn } from "./consumer.ts"

let consumer: Consumer

const frameworks = Object.keys(packageJson.peerDependencies)

beforeAll(async () => {
  consumer = await createConsumer(["@types/node", "@types/express", "@types/react", "csstype", "zod", ...frameworks])
  await writeFile(join(consumer.folder, "core.ts"), core)
  await writeFile(join(consumer.folder, "adapters.ts"), adapters)
  await writeFile(join(consumer.folder, "components.ts"), components)
  await writeFile(join(consumer.folder, "run.mjs"), program)
})

afterAll(() => consumer.remove())

/** What an app writes against the doors that need no framework; each `@ts-expect-error` must be one. */
const core = `import { z } from "zod"
import { SluiceApi, SluiceFile } from "sluice/api"
import { generateUploader } from "sluice/client"
import { createIngest, createMemoryBlobStore, createMemoryCatalog } from "sluice/ingest"
import { createRouteHandler, createSluice, type FileRouter, UploadError } from "sluice/server"
import { createSluice as createNodeSluice, toNodeListener } from "sluice/node"
import { encodeToken, parseToken, type Token } from "sluice/protocol"
import { createServer } from "node:http"

const f = createSluice()
const router = {
  avatar: f({ image: { maxFileSize: "4MB", maxFileCount: 1 } })
    .input(z.object({ album: z.string() }))
    .middleware(({ req, input }) => {
      if (req.headers.get("cookie") === null) throw new UploadError({ code: "FORBIDDEN", message: "Sign in first." })
      return { album: input.album, at: new Date() }
    })
    .onUploadComplete(({ metadata, file }) => ({ at: metadata.at, size: file.size })),
} satisfies FileRouter

const { uploadFiles } = generateUploader<typeof router>()
export const upload = async (file: File) => {
  for (const outcome of await uploadFiles("avatar", { files: [file], input: { album: "a" } })) {
    if (outcome.status !== "done") continue
    const size: number = outcome.serverData.size
    const at: string = outcome.serverData.at
    // @ts-expect-error there is no such field
    outcome.serverData.missing
    console.log(size, at)
  }
  // @ts-expect-error the input is missing
  await uploadFiles("avatar", { files: [file] })
  // @ts-expect-error there is no such route
  await uploadFiles("banner", { files: [file] })
}

export const own = async (file: File) => {
  const api = new SluiceApi({ defaultKeyType: "customId" })
  const { data, error } = await api.uploadFiles(new SluiceFile([file, "x"], "x.txt", { customId: "7" }))
  if (error !== null) throw error
  const results = await api.uploadFiles([file, { path: "x.txt" }], { expiresIn: "2 hours", concurrency: 2 })
  for await (const { key } of api.listFiles({ status: "Uploaded" })) await api.deleteFiles(key, { keyType: "fileKey" })
  // @ts-expect-error a Blob has no name
  await api.uploadFiles(new Blob())
  const url: string = await api.generateSignedURL(data.key)
  console.log(url, results.length, (await api.listFiles()).nextCursor)
}

const token: Token = { apiKey: "sk_1", appId: "app", regions: ["eu"] }
parseToken(encodeToken(token))
createNodeSluice()({ blob: {} }).middleware(({ req }) => ({ address: req.socket.remoteAddress ?? null }))
const ingest = createIngest({ token: encodeToken(token), store: createMemoryBlobStore(), catalog: createMemoryCatalog() })
const handle: (request: Request) => Promise<Response> = createRouteHandler({ router, fetch })
createServer(toNodeListener(handle))
createServer(toNodeListener((request) => ingest.fetch(request)))
`

const adapters = `import express from "express"
import Fastify from "fastify"
import { Hono } from "hono"
import type { NextRequest } from "next/server.js"
import { setupServer } from "msw/node"
import type { RequestHandler } from "@sveltejs/kit"
import type { ComponentProps } from "svelte"
import { createUploadMock } from "sluice/msw"
import * as onExpress from "sluice/express"
import * as onFastify from "sluice/fastify"
import * as onHono from "sluice/hono"
import * as onNext from "sluice/next"
import * as onNextPages from "sluice/next-pages"
import * as inSvelte from "sluice/svelte"
import * as onSvelteKit from "sluice/sveltekit"

express().use("/api/sluice", onExpress.createRouteHandler({
  router: { file: onExpress.createSluice()({ blob: {} }).middleware(({ req }) => ({ ip: req.ip ?? null })).onUploadComplete(() => null) },
}))
await Fastify().register(onFastify.createRouteHandler({
  router: { file: onFastify.createSluice()({ blob: {} }).middleware(({ req }) => ({ ip: req.ip })).onUploadComplete(() => null) },
}), { prefix: "/api/sluice" })
new Hono().all("/api/sluice", onHono.createRouteHandler({
  router: { file: onHono.createSluice()({ blob: {} }).middleware(({ c }) => ({ path: c.req.path })).onUploadComplete(() => null) },
}))
const next = onNext.createRouteHandler({
  router: { file: onNext.createSluice()({ blob: {} }).middleware(({ req }) => ({ path: req.nextUrl.pathname })).onUploadComplete(() => null) },
})
export const POST: (request: NextRequest) => Promise<Response> = next.POST
export default onNextPages.createRouteHandler({
  router: { file: onNextPages.createSluice()({ blob: {} }).middleware(({ req }) => ({ query: req.query.slug })).onUploadComplete(() => null) },
})
const inKit = { file: onSvelteKit.createSluice()({ blob: {} }).middleware(({ event }) => ({ path: event.url.pathname })).onUploadComplete(() => 1) }
const svelteKit = onSvelteKit.createRouteHandler({ router: inKit })
export const GET: RequestHandler = svelteKit.GET

const UploadButton = inSvelte.generateUploadButton<typeof inKit>()
export const props: ComponentProps<typeof UploadButton> = {
  endpoint: "file",
  onClientUploadComplete: ([result]) => result!.serverData.toFixed(),
}
// @ts-expect-error there is no such route
export const wrong: ComponentProps<typeof UploadButton> = { endpoint: "banner" }

const router = { file: onNext.createSluice()({ blob: {} }).onUploadComplete(({ file }) => ({ size: file.size })) }
export const slugs: ReadonlyArray<"file"> = onNext.extractRouteConfig(router).map(({ slug }) => slug)
const uploads = createUploadMock<typeof router>({ routes: { file: { serverData: ({ file }) => ({ size: file.size }) } } })
setupServer(...uploads.handlers)
// @ts-expect-error there is no such route
uploads.hold("banner")
`

const components = `import { createElement } from "react"
import { h } from "vue"
import { createComponent } from "solid-js"
import { createSluice } from "sluice/server"
import * as inElement from "sluice/element"
import * as inReact from "sluice/react"
import * as inSolid from "sluice/solid"
import * as inVue from "sluice/vue"
import { createResumeStore } from "sluice/resume"
import { createUploadController, createUploadSetup } from "sluice/ui"

const router = { file: createSluice()({ blob: {} }).onUploadComplete(({ file }) => ({ size: file.size })) }
type Router = typeof router
const setup = { resumeStore: createResumeStore(), texts: { choose: () => "Wählen" } } satisfies inReact.UploadSetupOptions

const ReactButton = inReact.generateUploadButton<Router>(setup)
createElement(ReactButton, { endpoint: "file", onClientUploadComplete: ([file]) => file!.serverData.size.toFixed() })
// @ts-expect-error there is no such route
createElement(ReactButton, { endpoint: "banner" })
export const size = () => inReact.generateUseUploader<Router>()("file").files[0]?.result?.serverData.size

const VueDropzone = inVue.generateUploadDropzone<Router>(setup)
h(VueDropzone<"file">, { endpoint: "file" })
// @ts-expect-error there is no such route
VueDropzone({ endpoint: "banner" })

const SolidDropzone = inSolid.generateUploadDropzone<Router>(setup)
createComponent(SolidDropzone<"file">, { endpoint: "file" })
// @ts-expect-error there is no such route
SolidDropzone({ endpoint: "banner" })

customElements.define("file-dropzone", inElement.generateUploadDropzone<Router>(setup))
document.querySelector("sluice-dropzone")!.addEventListener("upload-complete", ({ detail }) => detail.results[0]!.fileHash)

createUploadController(createUploadSetup<Router>(setup), { endpoint: "file" }).getState().isUploading
`

/** Signs an upload with the doors of apps, and has the ingest's own verifier look at it. */
const program = `import { generateUploader } from "sluice/client"
import { createSigner, encodeToken, verifyUploadUrl } from "sluice/protocol"
import { createRouteHandler, createSluice } from "sluice/server"

const token = { apiKey: "sk_1", appId: "app", regions: ["eu"], ingestUrl: "https://ingest.example.com" }
const handle = createRouteHandler({
  router: { file: createSluice()({ blob: {} }).onUploadComplete(() => null) },
  token: encodeToken(token),
  callbackUrl: "https://app.example.com/api/sluice",
  fetch: async () => Response.json({ ok: true }),
})
const response = await handle(new Request("https://app.example.com/api/sluice?actionType=upload&slug=file", {
  method: "POST",
  body: JSON.stringify({ files: [{ name: "a.txt", size: 1, type: "" }] }),
}))
const [{ url }] = await response.json()
const grant = await verifyUploadUrl(url, createSigner(token.apiKey), { now: Date.now() })
generateUploader()
console.log(response.status, grant.ok && grant.value.type)
`

const check = async (files: ReadonlyArray<string>, options: Readonly<Record<string, unknown>>) => {
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable"],
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    ...options,
  }
  const config = "tsconfig.json"
  await writeFile(join(consumer.folder, config), JSON.stringify({ compilerOptions, files }))
  return runIn(consumer, process.execPath, [join(repository, "node_modules/typescript/lib/tsc.js"), "-p", config])
}

const resolutions = [
  { module: "esnext", moduleResolution: "bundler" },
  { module: "nodenext", moduleResolution: "nodenext" },
]

/** Another Node on this machine, as an old system brings along. */
const findOtherNode = async (major: number): Promise<string | undefined> => {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const node = join(folder, "node")
    if (!existsSync(node)) continue
    const { output } = await runIn(consumer, node, ["--version"])
    if (output.startsWith(`v${major}.`)) return node
  }
  return undefined
}

describe("an app that has only the tarball", () => {
  for (const resolution of resolutions) {
    it(`type-checks against the core, declarations included (${resolution.moduleResolution})`, async () => {
      const { output } = await check(["core.ts"], { ...resolution, skipLibCheck: false })
      // Those of Node 24.0 and the DOM of TypeScript 6 contradict each other.
      const complaints = output.split("\n").filter((line) => !/^(\S*\/@types\/node\/|\s|$)/.test(line))
      expect(complaints).toEqual([])
    })

    it(`type-checks against adapters, components and the frameworks' own types (${resolution.moduleResolution})`, async () => {
      const { code, output } = await check(["adapters.ts", "components.ts"], { ...resolution, skipLibCheck: true })
      expect(output).toBe("")
      expect(code).toBe(0)
    })
  }

  it("runs: every door loads", async () => {
    // What is for Svelte has yet to be compiled, by the app (sveltekit.test.ts).
    const names = Object.keys(packageJson.exports).filter(
      (name) => !["./package.json", "./styles.css", "./svelte"].includes(name),
    )
    const doors = names.map((name) => name.replace(".", "sluice"))
    const code = `for (const door of ${JSON.stringify(doors)}) if (Object.keys(await import(door)).length === 0) throw door`
    expect(await runIn(consumer, process.execPath, ["--input-type=module", "-e", code])).toEqual({
      code: 0,
      output: "",
    })
  })

  it("runs: an upload is signed, and its signature holds", async () => {
    expect(await runIn(consumer, process.execPath, ["run.mjs"])).toEqual({ code: 0, output: "200 text/plain\n" })
  })

  it("runs the doors of apps on Node 20 too, which is older than we promise", async (test) => {
    const node = await findOtherNode(20)
    if (node === undefined) return skipLacking(test, "no folder of PATH has a Node 20.")
    expect(await runIn(consumer, node, ["run.mjs"])).toEqual({ code: 0, output: "200 text/plain\n" })
  })
})
