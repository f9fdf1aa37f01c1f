import { expect, onTestFinished, test, vi } from "vitest"
import { createRouteHandler, createSluice, extractRouteConfig, type FileRouter } from "../../../src/server.ts"
import { encodeToken } from "../../../src/protocol.ts"
import { de } from "../../../src/texts/de.ts"
import {
  addRouteSeed,
  createUploadController,
  createUploadSetup,
  type UploadComponentOptions,
  UploadError,
  type UploadSetup,
  type UploadSetupOptions,
} from "../../../src/ui.ts"

const f = createSluice()
const routerOf = (maxFileSize: `${number}KB`, maxFileCount: number) => ({
  photos: f({ image: { maxFileSize, maxFileCount } }).onUploadComplete(() => {}),
})
type Router = ReturnType<typeof routerOf>
const before = routerOf("500KB", 10)
const lower = routerOf("100KB", 2)

const token = encodeToken({ apiKey: "sk_stale", appId: "stale", regions: ["local"], ingestUrl: "http://ingest.test" })
const png = (name: string, size = 1000) =>
  new File([new Uint8Array(size)], name, { type: "image/png", lastModified: 1 })

let addresses = 0

/** An app that can be deployed anew, and what it was asked. */
const startApp = () => {
  const url = `http://app.test/stale/${addresses++}`
  const asked: Array<string> = []
  const deploy = (router: FileRouter) =>
    createRouteHandler({ router, token, isDev: false, allowedHosts: "app.test", logLevel: "None" })
  let handler = deploy(before)
  const app = {
    isSilent: false,
    url,
    asked,
    /** How often it was asked what its routes take. */
    questions: () => asked.filter((method) => method === "GET").length,
    deploy: (router: FileRouter) => (handler = deploy(router)),
    fetch: (async (address, init) => {
      const request = new Request(address, init)
      asked.push(request.method)
      if (app.isSilent && request.method === "GET") throw new TypeError("no route to host")
      return handler(request)
    }) as typeof fetch,
  }
  return app
}

const open = (
  { url, fetch }: ReturnType<typeof startApp>,
  setup: UploadSetupOptions = {},
  more: Partial<UploadSetup<Router>> = {},
  options: Partial<UploadComponentOptions<Router, "photos">> = {},
) => {
  const shared = createUploadSetup<Router>({ url, fetch, retry: { attempts: 1 }, ...setup })
  const controller = createUploadController({ ...shared, ...more }, { endpoint: "photos", ...options })
  const connect = async () => {
    onTestFinished(controller.connect())
    await vi.waitFor(() => expect(controller.getState().isReady).toBe(true))
    await controller.preload()
  }
  const plain = (text: string) => text.replaceAll("\u00A0", " ")
  const words = () => controller.getState().files.map(({ error }) => error && plain(shared.texts.error(error)))
  const limits = () => plain(shared.texts.allowed(controller.getState().routeConfig!))
  return { controller, connect, words, limits }
}
const opened = async (...given: Parameters<typeof open>) => {
  const page = open(...given)
  await page.connect()
  return page
}

const old = extractRouteConfig(before)

const told: ReadonlyArray<readonly [how: string, (url: string) => Parameters<typeof open>[1], seeded?: true]> = [
  ["that asked", () => ({})],
  ["with `routes`", () => ({ routes: old })],
  ["with a seed", () => ({}), true],
]

for (const [how, setupOf, seeded] of told) {
  test(`a page ${how} learns lower limits from a refusal: words, hint and the next choice`, async () => {
    const app = startApp()
    const seeds = seeded && addRouteSeed(undefined, old, app.url)
    const { controller, words, limits } = await opened(app, setupOf(app.url), { seeds })
    const asked = app.questions()
    app.deploy(lower)
    expect(limits()).toBe("Up to 10 images, 500 KB each at most")
    const said = new Set<string | undefined>()
    controller.subscribe(() => words().forEach((word) => said.add(word)))
    await controller.startUpload([png("a", 400 * 1024), png("b")])
    const now = "Not allowed here. Up to 2 images, 100 KB each at most."
    expect(words()).toEqual([now, now])
    // Nobody has read the old limits meanwhile.
    expect([...said].filter(Boolean)).toEqual([now])
    expect(limits()).toBe("Up to 2 images, 100 KB each at most")
    expect(app.questions()).toBe(asked + 1)
    controller.addFiles([png("c", 400 * 1024)])
    expect(words()).toEqual(["400 KB is too large, at most 100 KB is allowed."])
    expect(app.asked.filter((method) => method === "POST").length).toBe(1)
    // What is shown later on the same page knows it, too, whatever it is told.
    if (seeded) addRouteSeed(undefined, old, app.url)
    expect((await opened(app, setupOf(app.url), { seeds })).limits()).toBe("Up to 2 images, 100 KB each at most")
    expect(app.questions()).toBe(asked + 1)
  })
}

test("other components of the page follow, those that are used as well as those that are not yet", async () => {
  const app = startApp()
  const [used, refused] = [await opened(app), await opened(app, { texts: de })]
  const later = open(app)
  app.deploy(lower)
  await refused.controller.startUpload(["a", "b", "c"].map((name) => png(name)))
  expect(refused.words()[0]).toBe("Hier nicht erlaubt. Bis zu 2 Bilder, je höchstens 100 KB.")
  expect(used.limits()).toBe("Up to 2 images, 100 KB each at most")
  await later.connect()
  expect(later.limits()).toBe("Up to 2 images, 100 KB each at most")
})

test("what a server has rendered with the old limits is shown with them until it is connected", async () => {
  const app = startApp()
  const { controller } = await opened(app)
  app.deploy(lower)
  await controller.startUpload([png("a", 400 * 1024)])
  const seeds = addRouteSeed(undefined, old, app.url)
  const { connect, limits } = open(app, {}, { seeds, isServed: true })
  expect(limits()).toBe("Up to 10 images, 500 KB each at most")
  await connect()
  expect(limits()).toBe("Up to 2 images, 100 KB each at most")
})

test("a seed that is newer than the answer counts", async () => {
  const app = startApp()
  const { controller } = await opened(app)
  app.deploy(lower)
  await controller.startUpload([png("a", 400 * 1024)])
  const newest = addRouteSeed(undefined, extractRouteConfig(routerOf("50KB", 1)), app.url)
  expect((await opened(app, {}, { seeds: newest })).limits()).toBe("1 image, 50 KB at most")
})

test("a deployment that was taken back is followed", async () => {
  const app = startApp()
  const { controller, limits } = await opened(app, { routes: extractRouteConfig(lower) })
  app.deploy(routerOf("50KB", 10))
  await controller.startUpload([png("a", 90_000)])
  expect(limits()).toBe("Up to 10 images, 50 KB each at most")
  app.deploy(lower)
  await controller.startUpload([png("a"), png("b"), png("c")])
  expect(limits()).toBe("Up to 2 images, 100 KB each at most")
})

test("no answer, and one that says nothing new, end there: it is asked once for an upload", async () => {
  const app = startApp()
  const onUploadError = vi.fn()
  const { controller, words } = await opened(app, {}, {}, { onUploadError })
  app.deploy(lower)
  app.isSilent = true
  const [outcome] = await controller.startUpload([png("a", 400 * 1024)])
  expect(outcome).toMatchObject({ status: "failed", error: { code: "FILE_TOO_LARGE" } })
  await vi.waitFor(() => expect(onUploadError).toHaveBeenCalledOnce())
  expect(words()).toEqual(["Not allowed here. Up to 10 images, 500 KB each at most."])
  expect(app.questions()).toBe(2)
  app.isSilent = false
  // By its name it is a text, which the browser has not told the page.
  const unknown = new File(["x"], "a.txt", { type: "" })
  await controller.startUpload([unknown])
  expect(words()).toEqual(["Not allowed here. Choose images."])
  expect(app.questions()).toBe(3)
  await controller.startUpload([unknown])
  expect(app.questions()).toBe(4)
})

test("a refusal of the app's own is none of the limits: nothing is asked", async () => {
  const app = startApp()
  app.deploy({
    photos: f({ image: { maxFileSize: "500KB", maxFileCount: 10 } })
      .middleware(() => {
        throw new UploadError({ code: "TOO_MANY_FILES", message: "Three a day." })
      })
      .onUploadComplete(() => {}),
  })
  const { controller, words } = await opened(app)
  await controller.startUpload([png("a")])
  expect(words()).toEqual(["Three a day."])
  expect(app.questions()).toBe(1)
})
