import { cp, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import { type Consumer, createConsumer, repository, runIn } from "./consumer.ts"

/** Everything that a part of an app may hand to another part, as libraries and project references do. */
const files: Readonly<Record<string, string>> = {
  "routes.ts": `import { z } from "zod"
import { createRouteHandler, createSluice, defineAdapter, extractRouteConfig } from "sluice/server"
export const f = createSluice()
export const formatting = createSluice({ errorFormatter: (error) => ({ code: error.code }) })
export const start = f({ image: {} })
export const unawaited = f({ image: {} }, { awaitServerData: false })
export const withInput = start.input(z.object({ album: z.string() }))
export const withMiddleware = withInput.middleware(({ input }) => ({ at: new Date(), album: input.album }))
export const plainMiddleware = formatting(["image"]).middleware(async () => ({ userId: 7 }))
export const withFile = withMiddleware.file(({ metadata }) => ({ name: metadata.album }))
export const withErrorHandler = withFile.onUploadError(() => {})
export const renewing = start.middleware(({ renewal }) => ({ renewal }))
/** As Supabase has it. */
export type Settings = string | number | boolean | null | { [key: string]: Settings | undefined } | Array<Settings>
export const settings = { all: {} as Settings, list: [] as Array<Settings>, at: new Date(), tags: new Map<string, number>() }
export const deep = start.middleware(() => settings).onUploadComplete(({ metadata }) => ({ all: metadata.all, tags: metadata.tags }))
export const deeper = start.onUploadComplete(() => settings)
export const done = withErrorHandler.onUploadComplete(({ metadata }) => ({ at: metadata.at, now: new Date() }))
export const router = { done, other: start.onUploadComplete(() => null) }
export const handle = createRouteHandler({ router })
export const description = extractRouteConfig(router)
export const adapter = defineAdapter<[request: Request], { req: Request }>({
  name: "own",
  request: (request) => request,
  native: (req) => ({ req }),
})
export const { createSluice: createOwn } = adapter
`,
  ...Object.fromEntries(
    ["astro", "elysia", "express", "fastify", "h3", "hono", "next", "next-pages", "node", "react-router"]
      .concat(["solid-start", "sveltekit", "tanstack-start"])
      .map((name) => [
        `${name}.ts`,
        `import { createRouteHandler, createSluice } from "sluice/${name}"
export const f = createSluice()
export const start = f({ image: {} })
export const signedIn = start.middleware(() => ({ userId: 7 }))
export const withFile = signedIn.file(() => ({ name: "x" }))
export const router = { a: signedIn.onUploadComplete(({ file }) => ({ at: new Date(), name: file.name })) }
export const handle = createRouteHandler({ router })
`,
      ]),
  ),
  "client.ts": `import { generateUploader } from "sluice/client"
import { createResumeStore } from "sluice/resume"
import type { router } from "./routes.js"
export const uploader = generateUploader<typeof router>()
export const { uploadFiles, createUpload } = uploader
export const resumeStore = createResumeStore()
export const upload = (file: File) => createUpload("done", { files: [file], input: { album: "x" } })
export const outcomes = async (file: File) => uploadFiles("other", { files: [file] })
`,
  "servers.ts": `import { SluiceApi, SluiceFile } from "sluice/api"
import { createIngest, createMemoryBlobStore, createMemoryCatalog } from "sluice/ingest"
import { createUploadMock } from "sluice/msw"
import type { router } from "./routes.js"
export const api = new SluiceApi()
export const file = new SluiceFile([], "x")
export const upload = () => api.uploadFiles(file)
export const list = () => api.listFiles()
export const usage = () => api.getUsageInfo()
export const store = createMemoryBlobStore()
export const catalog = createMemoryCatalog()
export const ingest = createIngest({ token: "", store, catalog })
export const mock = createUploadMock<typeof router>({ routes: { done: { serverData: { at: "", now: "" } }, other: { serverData: null } } })
`,
  "components.ts": `import * as element from "sluice/element"
import * as react from "sluice/react"
import * as solid from "sluice/solid"
import * as svelte from "sluice/svelte"
import * as ui from "sluice/ui"
import * as vue from "sluice/vue"
import type { router } from "./routes.js"
type Router = typeof router
import "sluice/styles.css"
export const ReactButton = react.generateUploadButton<Router>()
export const useReact = react.generateUseUploader<Router>()
export const VueButton = vue.generateUploadButton<Router>()
export const useVue = vue.generateUseUploader<Router>()
const [inReact, inVue] = [useReact, useVue]
export const useOwn = () => ({ ...inReact("other"), mine: 1 })
export const useOwnVue = () => ({ ...inVue("other"), mine: 1 })
export const SvelteButton = svelte.generateUploadButton<Router>()
export const useSvelte = svelte.generateUseUploader<Router>()
export const SolidButton = solid.generateUploadButton<Router>()
export const useSolid = solid.generateUseUploader<Router>()
export const useOwnSvelte = () => ({ ...useSvelte("other"), mine: 1 })
export const useOwnSolid = () => ({ ...useSolid("other"), mine: 1 })
export const ElementButton = element.generateUploadButton<Router>()
export const uploads = ui.createUploads<Router>()
export const inbox = uploads.group("inbox")
export const ReactTray = react.generateUploadTray(uploads)
export const VueTray = vue.generateUploadTray(uploads)
export const SvelteTray = svelte.generateUploadTray(uploads)
export const SolidTray = solid.generateUploadTray(uploads)
export const ElementTray = element.generateUploadTray(uploads)
export const send = (file: File) => uploads.addFiles("done", [file], { input: { album: "x" } })
export const setup = ui.createUploadSetup<Router>()
export const controller = ui.createUploadController(setup, { endpoint: "done", input: { album: "x" } })
`,
}

/** Another part of the app, which sees the declarations alone. */
const reader = `import { generateUploader } from "sluice/client"
import { type deeper, type Settings, withMiddleware, type router, unawaited } from "./out/routes.js"
export const read = ({ all, list, at, tags }: (typeof deeper)["~types"]["serverData"]): [Settings, Array<Settings>, string] => {
  // @ts-expect-error JSON makes {} of a Map
  tags.size
  return [all, list, at]
}
import { signedIn } from "./out/express.js"
export const finished = withMiddleware.file(({ metadata }) => ({ name: metadata.at.toISOString() }))
  .onUploadComplete(({ metadata }) => ({ at: metadata.at.toUpperCase() }))
const nothing: { serverData: null } = { serverData: null as (typeof route)["~types"]["serverData"] }
const route = unawaited.onUploadComplete(() => 7)
export const other = signedIn.onUploadComplete(({ metadata, req }) => [metadata.userId.toFixed(), req.ip, nothing])
export const untyped = async (file: File) => {
  const [outcome] = await generateUploader().uploadFiles("any", { files: [file], input: 7 })
  // @ts-expect-error nothing is known of it
  if (outcome?.status === "done") outcome.serverData.at.toISOString()
}
export const upload = async (file: File) => {
  const [outcome] = await generateUploader<typeof router>().uploadFiles("done", { files: [file], input: { album: "x" } })
  // @ts-expect-error it is a text
  if (outcome?.status === "done") outcome.serverData.at.toISOString()
}
`

const handlers: Readonly<Record<string, string>> = {
  astro: "AstroHandler",
  elysia: "ElysiaHandler",
  express: "ExpressHandler",
  fastify: "FastifyHandler",
  h3: "H3Handler",
  hono: "HonoHandler",
  next: "NextHandler",
  "next-pages": "NextPagesHandler",
  "react-router": "ReactRouterHandler",
  "solid-start": "SolidStartHandler",
  sveltekit: "SvelteKitHandler",
  "tanstack-start": "TanStackStartHandler",
}

/** Options that may be undefined, as what reads them from an environment has them, where TypeScript tells that from absent. */
const exact = `import { createRouteHandler, createSluice } from "sluice/server"
const setting = process.env["SETTING"] === undefined ? undefined : true
const f = createSluice({ errorFormatter: undefined })
const limits = { maxFileSize: undefined, maxFileCount: undefined, acl: undefined, noun: undefined }
const options = { presignedUrlTtl: undefined, claim: undefined, hold: setting, transport: undefined }
const router = { a: f({ image: limits, video: undefined }, options).onUploadComplete(() => null) }
export const handle = createRouteHandler({ router, isDev: setting, trustProxy: setting, fetch: undefined, waitUntil: undefined })
`

/** A server, of which nothing knows the types of the DOM. */
const server = `import { createRouteHandler, createSluice } from "sluice/node"
import { SluiceApi } from "sluice/api"
import { createIngest } from "sluice/ingest"
import { generateUploader } from "sluice/client"
import "sluice/server"
import "sluice/protocol"
export const f = createSluice()
export const handle = createRouteHandler({ router: { a: f({ image: {} }).onUploadComplete(() => null) } })
// @ts-expect-error credentials are words
generateUploader({ credentials: 5 })
// @ts-expect-error headers are no number
generateUploader({ headers: 7 })
export const api = new SluiceApi()
export { createIngest }
`

/** A package manager installs two copies where two parts of an app have other peers beside the package. */
const copies = `import { createRouteHandler } from "copy/next"
import type { UploadError as Other } from "copy/server"
import { createSluice, type UploadError } from "sluice/server"
const router = { a: createSluice()({ image: {} }).onUploadError(({ error }) => tell(error)).onUploadComplete(() => null) }
const tell = (error: Other): UploadError => error
export const { GET, POST } = createRouteHandler({ router })
`

let consumer: Consumer

beforeAll(async () => {
  const links = ["@types/node", "@types/express", "@types/react", "csstype", "zod"]
  consumer = await createConsumer([...links, ...Object.keys(packageJson.peerDependencies)])
  for (const [name, text] of Object.entries(files)) await writeFile(join(consumer.folder, name), text)
  await writeFile(join(consumer.folder, "reader.ts"), reader)
  await writeFile(join(consumer.folder, "server.ts"), server)
  await writeFile(join(consumer.folder, "exact.ts"), exact)
  await writeFile(join(consumer.folder, "copies.ts"), copies)
  const modules = join(consumer.folder, "node_modules")
  await cp(join(modules, "sluice"), join(modules, "copy"), { recursive: true, dereference: true })
  // Else the compiler takes both for one.
  await writeFile(join(modules, "copy/package.json"), JSON.stringify({ ...packageJson, version: "0.0.0" }))
})

afterAll(() => consumer.remove())

const compile = async (config: string, names: ReadonlyArray<string>, options: object) => {
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable"],
    types: ["node"],
    strict: true,
    skipLibCheck: true,
    module: "nodenext",
    moduleResolution: "nodenext",
    ...options,
  }
  await writeFile(join(consumer.folder, config), JSON.stringify({ compilerOptions, files: names }))
  return runIn(consumer, process.execPath, [join(repository, "node_modules/typescript/lib/tsc.js"), "-p", config])
}

describe("an app that emits declarations", { timeout: 120_000 }, () => {
  it("names every type that it exports, of unfinished routes and components too, and they say the same elsewhere", async () => {
    const emit = { declaration: true, emitDeclarationOnly: true, outDir: "out" }
    expect(await compile("tsconfig.json", Object.keys(files), emit)).toEqual({ code: 0, output: "" })
    expect(await compile("tsconfig.reader.json", ["reader.ts"], { noEmit: true })).toEqual({ code: 0, output: "" })
    // A package manager that links packages, as pnpm does, lets an app name the types of Sluice, not those behind them.
    for (const [name, handler] of Object.entries(handlers)) {
      const text = await readFile(join(consumer.folder, "out", `${name}.d.ts`), "utf8")
      expect(text.slice(text.indexOf("export declare const handle:")), name).toContain(
        `import("sluice/${name}").${handler}`,
      )
    }
  })
})

describe("a server without the types of the DOM", { timeout: 120_000 }, () => {
  it("finds no fault in the declarations, nor the declarations less in it", async () => {
    const options = { noEmit: true, lib: ["es2022"], skipLibCheck: false }
    expect(await compile("tsconfig.server.json", ["server.ts"], options)).toEqual({ code: 0, output: "" })
  })
})

describe("an app with exactOptionalPropertyTypes", { timeout: 120_000 }, () => {
  it("may leave an option out by undefined", async () => {
    const options = { noEmit: true, exactOptionalPropertyTypes: true }
    expect(await compile("tsconfig.exact.json", ["exact.ts"], options)).toEqual({ code: 0, output: "" })
  })
})

describe("two copies of the package", { timeout: 120_000 }, () => {
  it("fit each other", async () => {
    expect(await compile("tsconfig.copies.json", ["copies.ts"], { noEmit: true })).toEqual({ code: 0, output: "" })
  })
})
