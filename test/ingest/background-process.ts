/** A process that makes an ingest, takes an upload with its callback, and ends when nothing is left to do in it. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createIngest, createMemoryBlobStore, createMemoryCatalog } from "../../src/ingest.ts"
import {
  createFileKey,
  createSigner,
  encodeAppId,
  encodeToken,
  formatUploadRange,
  names,
  signUploadUrl,
} from "../../src/protocol.ts"

const [apiKey, appId, origin] = ["sk_test_0123456789abcdef", "app-1", "https://files.example"]

/** Timers that were begun and not ended, those too that would let a process end. */
const watchTimers = () => {
  const alive = new Map<unknown, string>()
  const restore: Array<() => void> = []
  for (const [set, clear] of [
    ["setTimeout", "clearTimeout"],
    ["setInterval", "clearInterval"],
  ] as const) {
    const [begin, end] = [globalThis[set], globalThis[clear]] as const
    const replaced = {
      [set]: (run: () => void, time?: number) => {
        const timer: unknown = begin(() => {
          if (set === "setTimeout") alive.delete(timer)
          run()
        }, time)
        alive.set(timer, `${set} ${time}`)
        return timer
      },
      [clear]: (timer: ReturnType<typeof setTimeout>) => {
        alive.delete(timer)
        end(timer)
      },
    }
    Object.assign(globalThis, replaced)
    restore.push(() => Object.assign(globalThis, { [set]: begin, [clear]: end }))
  }
  return {
    list: () => [...alive.values()],
    end: () => {
      for (const one of restore) one()
    },
  }
}

/** What is begun by making an ingest. */
export const startCallback = async (background: boolean) => {
  const timers = watchTimers()
  const ingest = createIngest({
    token: encodeToken({ apiKey, appId, regions: ["local"] }),
    url: origin,
    logLevel: "None",
    background,
    store: createMemoryBlobStore(),
    catalog: createMemoryCatalog(),
  })
  await new Promise((resolve) => setImmediate(resolve))
  const begun = timers.list()
  timers.end()
  if (background) await ingest.close()
  return { ingest, begun, timers }
}

if (process.argv[1] === import.meta.filename) {
  const { ingest, begun } = await startCallback(false)
  let callbacks = 0
  const app = createServer((request, response) => {
    callbacks++
    request.resume().once("end", () => response.end())
  })
  await new Promise<void>((resolve) => app.listen(0, "127.0.0.1", resolve))
  const key = createFileKey(encodeAppId(appId))
  const after: Array<Promise<unknown>> = []
  const context = { waitUntil: (work: Promise<unknown>) => void after.push(work) }
  await ingest.fetch(
    new Request(`${origin}/${names.path.register}`, {
      method: "POST",
      headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
      body: JSON.stringify({
        fileKeys: [key],
        metadata: {},
        callbackUrl: `http://127.0.0.1:${(app.address() as AddressInfo).port}/`,
        callbackSlug: "avatar",
        awaitServerData: false,
      }),
    }),
    context,
  )
  const grant = { key, appId, expires: Date.now() + 60_000, name: "a.txt", size: 5, type: "text/plain", slug: "avatar" }
  const { status } = await ingest.fetch(
    new Request(await signUploadUrl(origin, grant, createSigner(apiKey)), {
      method: "PUT",
      body: "hello",
      headers: { range: formatUploadRange(0) },
    }),
    context,
  )
  await Promise.all(after)
  app.close()
  app.closeAllConnections()
  process.once("beforeExit", () => console.log(JSON.stringify({ begun, status, callbacks })))
}
