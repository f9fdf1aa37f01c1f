import { setTimeout } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, it } from "vitest"
import { createFetchTransport } from "../../src/api/from-url/fetch-transport.ts"
import { readFile } from "../../src/cli/remote/remote-file.ts"
import { sendWithFetch } from "../../src/http/fetch-transport.ts"
import { listen } from "../ingest/circle.ts"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

const { signal } = new AbortController()

/** What of our own asks by `fetch`, and gives the body of an answer to others. */
const askers: Record<string, (url: string) => Promise<{ body: AsyncIterable<Uint8Array> | null }>> = {
  "what the app and the ingest send": (url) =>
    sendWithFetch((...request) => fetch(...request))({ url, method: "GET", headers: {}, signal }),
  "uploadFilesFromUrl of runtimes without Node's modules": (url) =>
    createFetchTransport()({
      url: new URL(url),
      headers: new Headers(),
      rules: { allowPrivateHosts: true, allowHttp: true } as never,
      signal,
    }),
  "sluice get": (url) => readFile(url, "GET", { offset: 0 }, signal),
}

it.each(Object.entries(askers))(
  "%s: a body that is read late is whole, although its Response is gone",
  async (_, ask) => {
    const size = 300_000
    const url = await listen((_, response) => {
      response.writeHead(200, { etag: '"a"', "content-length": `${size}` }).end(new Uint8Array(size))
    })
    const { body } = await ask(url)
    for (let i = 0; i < 5; i++) {
      await setTimeout(20)
      collectGarbage()
    }
    let length = 0
    for await (const bytes of body!) length += bytes.length
    expect(length).toBe(size)
  },
)
