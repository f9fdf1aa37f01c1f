import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { toNodeListener } from "../../../adapters/node.ts"
import { createIngest, createMemoryBlobStore, createMemoryCatalog } from "../../ingest.ts"
import { type CallbackResult, encodeToken, names, type Registration } from "../../protocol.ts"

/** The real ingest on a real socket, which also remembers what an app has sent it. */
export interface RecordingIngest {
  readonly url: string
  readonly registrations: ReadonlyArray<Registration>
  readonly results: ReadonlyArray<CallbackResult>
  /** A key that only the test knows: results for it are recorded and go no further. */
  readonly inventKey: () => string
  readonly close: () => Promise<void>
}

export const startRecordingIngest = async (apiKey: string, appId: string): Promise<RecordingIngest> => {
  const registrations: Array<Registration> = []
  const results: Array<CallbackResult> = []
  const invented = new Set<string>()
  const server = createServer(
    toNodeListener(async (request) => {
      const { pathname } = new URL(request.url)
      if (pathname === `/${names.path.register}`) {
        registrations.push((await request.clone().json()) as Registration)
      } else if (pathname === `/${names.path.callbackResult}`) {
        const result = (await request.clone().json()) as CallbackResult
        results.push(result)
        if (invented.has(result.fileKey)) return Response.json({ ok: true })
      }
      return ingest.fetch(request)
    }),
  )
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ingest = createIngest({
    token: encodeToken({ apiKey, appId, regions: ["local"] }),
    store: createMemoryBlobStore(),
    catalog: createMemoryCatalog(),
    url,
    logLevel: "None",
  })
  return {
    url,
    registrations,
    results,
    inventKey: () => {
      const key = `invented-${invented.size}`
      invented.add(key)
      return key
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await ingest.close()
    },
  }
}
