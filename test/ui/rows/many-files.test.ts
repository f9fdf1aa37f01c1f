import { expect, test, vi } from "vitest"
import type { UploadRequest } from "../../../src/protocol/messages.ts"
import type { TypedFileRouter } from "../../../src/protocol/files/file-route.ts"
import { createUploadController, createUploadSetup, seedRouteConfig } from "../../../src/ui.ts"

const visitors = ["map", "filter", "flatMap", "forEach", "find", "findIndex", "findLast", "some", "every"] as const
const walkers = ["includes", "indexOf", "slice", "splice", "toSorted", "toSpliced", "toReversed"] as const

type Method = (this: ReadonlyArray<unknown>, ...args: ReadonlyArray<unknown>) => unknown

/** How many elements of arrays and maps are visited while something runs; a time would say more about the machine. */
const countVisits = async (run: () => unknown): Promise<number> => {
  let visits = 0
  const replace = (name: keyof Array<unknown>, toMethod: (original: Method) => Method) => {
    const spy = vi.spyOn(Array.prototype, name as "map")
    return spy.mockImplementation(toMethod(Array.prototype[name as "map"] as never) as never)
  }
  const originals = new Map([...visitors, ...walkers].map((name) => [name, Array.prototype[name] as Method]))
  const spies = [
    ...visitors.map((name) =>
      replace(
        name,
        () =>
          function (visit, ...others) {
            const counted = (...args: ReadonlyArray<unknown>) => (
              visits++,
              (visit as (...args: ReadonlyArray<unknown>) => unknown)(...args)
            )
            return originals.get(name)!.call(this, counted, ...others)
          },
      ),
    ),
    ...walkers.map((name) =>
      replace(
        name,
        () =>
          function (...args) {
            visits += this.length
            return originals.get(name)!.apply(this, [...args])
          },
      ),
    ),
  ]
  const values = Map.prototype.values
  const ofMaps = vi.spyOn(Map.prototype, "values").mockImplementation(function (this: Map<unknown, unknown>) {
    visits += this.size
    return values.call(this)
  })
  try {
    await run()
  } finally {
    ofMaps.mockRestore()
    for (const spy of spies) spy.mockRestore()
  }
  return visits
}

/** An app and an ingest that take everything. */
const takeAll = async (address: string, init?: RequestInit): Promise<Response> => {
  if (init?.method !== "POST") return Response.json({ key: new URL(address).pathname.slice(1), serverData: null })
  const { files } = JSON.parse(init.body as string) as UploadRequest
  return Response.json(
    files.map(({ name }) => ({ key: name, url: `http://ingest.test/${name}?signature=x`, name, customId: null })),
  )
}

let addresses = 0

/** A dropzone that uploads what is chosen, and has its files. */
const start = async (count: number, address = `http://many-files.test/${addresses++}`) => {
  seedRouteConfig(
    [
      {
        slug: "any",
        config: { blob: { maxFileSize: "1GB", maxFileCount: 100_000, minFileCount: 1, contentDisposition: "inline" } },
      },
    ],
    address,
  )
  const files = Array.from({ length: count }, (_, i) => new File([], `file-${i}`))
  const over = Promise.withResolvers<unknown>()
  const options = {
    endpoint: "any",
    config: { mode: "auto" },
    onBeforeUploadBegin: (files: Array<File>) => files,
    onClientUploadComplete: over.resolve,
  } as const
  const setup = createUploadSetup<TypedFileRouter>({ url: address, fetch: takeAll })
  const controller = createUploadController<TypedFileRouter, string>(setup, options)
  await controller.preload()
  controller.subscribe(() => controller.getState())
  return { controller, files, options, over: over.promise }
}

type Made = Awaited<ReturnType<typeof start>>

/** What happens to the files of a component, one after the other. */
const steps: ReadonlyArray<readonly [name: string, step: (made: Made) => unknown]> = [
  ["uploaded", ({ controller, files, over }) => (controller.addFiles(files), over)],
  ["rendered", ({ controller, options }) => controller.setOptions({ ...options, initialFiles: [] })],
  ["removed", ({ controller }) => controller.clear(["done"])],
  ["restored", ({ controller }) => controller.undo()],
  [
    "sent again",
    ({ controller, files }) => controller.addFiles(files.map(({ name }) => new File([], `${name} again`))),
  ],
  ["cancelled", async ({ controller }) => (controller.abortUpload(), controller.getState())],
]

test("twice the files are twice the visits of items, and not four times, whatever happens to them", async () => {
  // Frames and rests do not go by: how often a slow machine shows the list is not what is counted.
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "performance"] })
  try {
    const visits = []
    for (const count of [1000, 2000]) {
      const made = await start(count)
      const each: Record<string, number> = {}
      for (const [name, step] of steps) each[name] = await countVisits(() => step(made))
      expect(made.controller.getState().files).toHaveLength(2 * count)
      visits.push(each)
    }
    const [few, many] = visits
    for (const [name] of steps) expect([name, many![name]! / few![name]!]).toEqual([name, expect.closeTo(2, 0)])
  } finally {
    vi.useRealTimers()
  }
})
