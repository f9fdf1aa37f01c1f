import { countCalls } from "../../count-calls.ts"
import { vi } from "vitest"
import { type Append, type BlobStore, type Catalog, createIngest } from "../../../../src/ingest.ts"
import {
  type CallbackEvent,
  type DevStreamEvent,
  formatUploadRange,
  names,
  readJsonLines,
  type UploadGrant,
} from "../../../../src/protocol.ts"
import { apiKey, sign, signer, token } from "../../circle.ts"

/** Values of the operator, ms. */
export const settings = { callbackWait: 1000, callbackTimeout: 400, callbackRetries: [100, 200] }

/** How exactly this play knows when something happened, ms. */
export const precision = 25

/** What the app's URLs and its registration have in common. */
export const registrationId = "of-the-play"

const publicUrl = "http://ingest.test"

/** A callback the app has received and not answered. */
export interface Attempt {
  readonly event: CallbackEvent
  readonly isSigned: boolean
  /** Ends it: a status, or undefined for a connection that breaks. */
  readonly answer: (status: number | undefined) => void
}

/** A PUT under way. */
export interface Put {
  /** `status` and the server data or the problem's code; undefined while it waits. */
  answer: string | undefined
  /** The offset the answer named. */
  offset: number | undefined
  /** Breaks the body off, where it was left open. */
  readonly leave: () => void
}

/** A development stream as the app's side sees it. */
export interface Stream {
  readonly events: Array<CallbackEvent>
  isSigned: boolean
  state: "open" | "left" | "ended"
  readonly leave: () => void
}

/** While a body has nothing to give, the append that reads it does not move. */
const countAppends = (store: BlobStore, add: (n: number) => void): BlobStore => {
  async function* watch(body: AsyncIterable<Uint8Array>) {
    add(-1)
    try {
      for await (const chunk of body) {
        add(1)
        yield chunk
        add(-1)
      }
    } finally {
      add(1)
    }
  }
  const counted = countCalls(store, add)
  return new Proxy(counted, {
    get: (target, name) =>
      name === "append"
        ? (key: string, append: Append) => target.append(key, { ...append, body: watch(append.body) })
        : (Reflect.get(target, name) as unknown),
  })
}

/** An ingest on a clock that stands still until told otherwise; every move of the app is made by hand. */
export const startPlayedIngest = (
  open: () => { readonly store: BlobStore; readonly catalog: Catalog },
  onAttempt: (attempt: Attempt, end: { readonly ended: Promise<"broken" | "timeout"> }) => void,
) => {
  let calls = 0
  const add = (n: number) => void (calls += n)
  const start = () => {
    const { store, catalog } = open()
    return createIngest({
      token,
      url: publicUrl,
      logLevel: "None",
      ...settings,
      store: countAppends(store, add),
      catalog: countCalls(catalog, add),
      fetch: (_url, init) =>
        new Promise<Response>((resolve, reject) => {
          const body = init!.body as string
          const { promise: ended, resolve: end } = Promise.withResolvers<"broken" | "timeout">()
          init!.signal!.addEventListener("abort", () => {
            const reason: unknown = init!.signal!.reason
            end(reason instanceof Error && reason.name === "TimeoutError" ? "timeout" : "broken")
            reject(reason)
          })
          const signature = new Headers(init!.headers).get(names.header.signature)!
          const attempt: Attempt = {
            event: JSON.parse(body),
            isSigned: signer.verify(body, signature) === true,
            answer: (status) =>
              status === undefined
                ? reject(new TypeError("fetch failed"))
                : resolve(
                    new Response(status === 204 ? null : status === 200 ? `{"ok":true}` : "some answer", { status }),
                  ),
          }
          onAttempt(attempt, { ended })
        }),
    })
  }
  let ingest = start()

  /** Until nothing moves but the clock. */
  const settle = async (): Promise<void> => {
    for (let idle = 0; idle < 6;) {
      await new Promise((resolve) => setImmediate(resolve))
      idle = calls > 0 ? 0 : idle + 1
    }
  }

  const post = async (path: string, body: object): Promise<Response> =>
    ingest.fetch(
      new Request(`${publicUrl}/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
        body: JSON.stringify(body),
      }),
    )

  const register = (fileKeys: ReadonlyArray<string>, awaitServerData: boolean, isDev = false): Promise<Response> =>
    post(names.path.register, {
      id: registrationId,
      fileKeys,
      metadata: null,
      callbackUrl: "http://app.test/",
      callbackSlug: "avatar",
      awaitServerData,
      isDev,
    })

  return {
    settle,
    pass: async (duration: number): Promise<void> => {
      for (let passed = 0; passed < duration; passed += precision) {
        await vi.advanceTimersByTimeAsync(precision)
        await settle()
      }
    },
    restart: async (): Promise<void> => {
      await ingest.close()
      await settle()
      ingest = start()
    },
    close: () => ingest.close(),
    register: (fileKeys: ReadonlyArray<string>, awaitServerData: boolean) => register(fileKeys, awaitServerData),
    openStream: async (fileKeys: ReadonlyArray<string>, awaitServerData: boolean): Promise<Stream> => {
      const response = await register(fileKeys, awaitServerData, true)
      const reader = response.body!.getReader()
      const lines = readJsonLines(
        new ReadableStream({
          pull: async (controller) => {
            const { done, value } = await reader.read()
            if (done) controller.close()
            else controller.enqueue(value)
          },
        }),
      )
      const stream: Stream = {
        events: [],
        isSigned: true,
        state: "open",
        leave: () => {
          stream.state = "left"
          void reader.cancel()
        },
      }
      const read = async () => {
        for await (const line of lines) {
          const { payload, signature } = line as DevStreamEvent
          stream.isSigned &&= signer.verify(payload, signature) === true
          stream.events.push(JSON.parse(payload))
        }
        if (stream.state === "open") stream.state = "ended"
      }
      void read()
      return stream
    },
    post: (result: object) => post(names.path.callbackResult, result),
    head: async (grant: UploadGrant): Promise<number> => {
      const response = await ingest.fetch(new Request(await sign(publicUrl, grant), { method: "HEAD" }))
      return Number(response.headers.get(names.header.rangeStart))
    },
    /** `after`: what follows the bytes. */
    put: async (
      grant: UploadGrant,
      start: number,
      bytes: Uint8Array<ArrayBuffer>,
      after: "end" | "cut" | "silence",
    ): Promise<Put> => {
      let leave = () => {}
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          if (bytes.length > 0) controller.enqueue(bytes)
          leave = () => {
            try {
              controller.error(new Error("The client is gone."))
            } catch {
              // the ingest has cancelled it
            }
          }
          if (after === "end") controller.close()
        },
        pull: () => {
          if (after === "cut") leave()
        },
      })
      const put: Put = { answer: undefined, offset: undefined, leave }
      const request = new Request(await sign(publicUrl, grant), {
        method: "PUT",
        body,
        headers: { range: formatUploadRange(start), "content-type": "application/octet-stream" },
        duplex: "half",
      } as RequestInit)
      const read = async () => {
        const response = await ingest.fetch(request)
        const json = await response.json()
        const offset = response.headers.get(names.header.rangeStart)
        put.offset = offset === null ? undefined : Number(offset)
        put.answer = `${response.status} ${response.ok ? JSON.stringify(json.serverData) : json.code}`
      }
      void read()
      return put
    },
  }
}
