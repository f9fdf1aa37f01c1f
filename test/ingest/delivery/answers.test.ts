import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { type Catalog, createMemoryCatalog, createSqliteCatalog } from "../../../src/ingest.ts"
import { createFileKey, createSigner, encodeAppId, limits, signUploadUrl } from "../../../src/protocol.ts"
import { signAnswer } from "../../../src/protocol/signing/signed-answer.ts"
import type { Json } from "../../../src/protocol/json.ts"
import {
  answerWith,
  createApp,
  createGrant,
  eventually,
  postResult,
  putRaw,
  type Received,
  register,
  sign,
  signer,
  startApp,
  startIngest,
} from "../circle.ts"
import { makeFolder } from "../../make-folder.ts"

const keyOf = ({ event }: Received) => (event.status === "uploaded" ? event.file.key : event.fileKey)

/** An answer as docs/protocol.md §8 wants it, with what is wrong about it. */
const answer = async (
  received: Received,
  said: { callbackData: Json } | { error: string },
  wrong: {
    readonly status?: number
    readonly fileKey?: string
    readonly id?: string
    readonly attempt?: number
    readonly by?: typeof signer
    readonly body?: (text: string) => string
    readonly signature?: string
  } = {},
): Promise<Response> => {
  const { event } = received
  const text = JSON.stringify({ fileKey: wrong.fileKey ?? keyOf(received), ...said })
  const answered = { id: wrong.id ?? event.id, attempt: wrong.attempt ?? event.attempt }
  const signature = wrong.signature ?? (await signAnswer(answered, text, wrong.by ?? signer))
  const status = wrong.status ?? ("error" in said ? 500 : 200)
  return new Response(wrong.body?.(text) ?? text, { status, headers: { "x-sluice-signature": signature } })
}

/** Uploads a file that waits for its app. */
const upload = async (
  handle: (received: Received, count: number) => Promise<Response> | Response,
  options: Parameters<typeof startIngest>[0] = {},
  content = "hello",
) => {
  const ingest = await startIngest({ callbackRetries: [60_000], ...options })
  const app = await startApp(handle)
  const grant = createGrant({ slug: "avatar", size: content.length })
  await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: true })
  const response = await putRaw(await sign(ingest.url, grant), content)
  const attempts = async () => {
    const found = await ingest.catalog.get(grant.key)
    return ingest.catalog.listAttempts(found!.delivery!.id)
  }
  return { ingest, app, grant, response, body: await response.json(), attempts }
}

describe("a signed answer to a callback", () => {
  it.each([
    ["memory", async () => createMemoryCatalog()],
    ["SQLite", async () => createSqliteCatalog({ file: join(await makeFolder(), "catalog.sqlite") })],
  ])("brings the result: kept with the attempt, and given to the client (%s)", async (_, open) => {
    const catalog = await open()
    const { app, grant, response, body, attempts } = await upload(
      (received) => answer(received, { callbackData: { ü: [1] } }),
      { catalog },
    )
    expect([response.status, body.serverData]).toEqual([200, { ü: [1] }])
    expect(app.received[0]!.headers.get("sluice-accept")).toBe("result")
    expect(await catalog.get(grant.key)).toMatchObject({
      result: { data: '{"ü":[1]}' },
      resultAt: expect.any(Number),
      delivery: { status: "delivered", attempts: 1, failures: 0 },
    })
    expect(await attempts()).toMatchObject([{ status: 200, error: null, answer: null }])
  })

  it("is given to the client without another look at the catalog", async () => {
    const catalog = createMemoryCatalog()
    const reads: Array<string> = []
    const watched = { ...catalog, get: (key: string) => (reads.push(key), catalog.get(key)) }
    const { body } = await upload((received) => answer(received, { callbackData: 7 }), { catalog: watched })
    expect(body.serverData).toBe(7)
    expect(reads).toEqual([])
  })

  it("brings the error of the app's code, which the client reads at once, and the event is sent again", async () => {
    const { app, grant, ingest, response, body, attempts } = await upload(
      (received, count) => (count === 1 ? answer(received, { error: "No cats." }) : answerWith("at last")(received)),
      { callbackRetries: [1] },
    )
    expect([response.status, body.code, body.detail]).toEqual([
      502,
      "CALLBACK_FAILED",
      expect.stringMatching(/No cats\./),
    ])
    await eventually(async () => (await ingest.catalog.get(grant.key))?.delivery?.status === "delivered")
    expect((await ingest.catalog.get(grant.key))?.result).toEqual({ data: '"at last"' })
    expect(await attempts()).toMatchObject([
      { status: 500, error: "The answer was 500: No cats.", answer: "No cats." },
      { status: 200, error: null },
    ])
    // What stood in the way of an answer would stand there again.
    expect(app.received.map(({ headers }) => headers.get("sluice-accept"))).toEqual(["result", null])
  })

  it("with status 410 ends the event, with the app's words", async () => {
    const { grant, ingest, body } = await upload((received) => answer(received, { error: "Gone." }, { status: 410 }))
    expect(body.detail).toMatch(/Gone\./)
    expect((await ingest.catalog.get(grant.key))?.delivery?.status).toBe("dead")
  })

  it.each(["sk_first", "sk_second"])("may be signed with either key of an app that has two (%s)", async (key) => {
    const catalog = createMemoryCatalog()
    const id = "acme"
    await createApp(catalog, { id, keys: ["sk_first", "sk_second"] })
    const ingest = await startIngest({ catalog, callbackNetworks: "any" })
    const app = await startApp((received) => answer(received, { callbackData: 1 }, { by: createSigner(key) }))
    const grant = createGrant({ appId: id, key: createFileKey(encodeAppId(id)), slug: "avatar" })
    await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: true }, "sk_first")
    const url = await signUploadUrl(ingest.url, grant, createSigner("sk_second"))
    expect((await (await putRaw(url, "hello")).json()).serverData).toBe(1)
  })

  const failing: ReadonlyArray<readonly [string, (received: Received) => Promise<Response>, RegExp]> = [
    [
      "signed with another app's key",
      (received) => answer(received, { callbackData: 1 }, { by: createSigner("sk_other") }),
      /not signed/,
    ],
    [
      "changed on the way",
      (received) => answer(received, { callbackData: 1 }, { body: (text) => `${text} ` }),
      /not signed/,
    ],
    [
      "cut short",
      (received) => answer(received, { callbackData: 1 }, { body: (text) => text.slice(0, -1) }),
      /not signed/,
    ],
    ["of another event", (received) => answer(received, { callbackData: 1 }, { id: "evt_other" }), /not signed/],
    ["of another attempt", (received) => answer(received, { callbackData: 1 }, { attempt: 2 }), /not signed/],
    [
      "whose signature is the callback's own",
      (received) => answer(received, { callbackData: 1 }, { signature: received.headers.get("x-sluice-signature")! }),
      /not signed/,
    ],
    [
      "that is the callback reflected",
      async (received) =>
        new Response(received.body, { headers: { "x-sluice-signature": received.headers.get("x-sluice-signature")! } }),
      /not signed/,
    ],
    [
      "whose signature is nonsense",
      (received) => answer(received, { callbackData: 1 }, { signature: "x" }),
      /not signed/,
    ],
    [
      "whose signature a proxy has dropped",
      async (received) => new Response(JSON.stringify({ fileKey: keyOf(received), eventId: "e", callbackData: 1 })),
      /without a signature/,
    ],
    [
      "whose body is about another event",
      (received) => answer(received, { callbackData: 1, eventId: "evt_other" } as never),
      /another event/,
    ],
    [
      "whose body is about another attempt",
      (received) => answer(received, { callbackData: 1, attempt: 7 } as never),
      /another event or attempt/,
    ],
    [
      "about another file",
      (received) => answer(received, { callbackData: 1 }, { fileKey: `${keyOf(received)}x` }),
      /another file/,
    ],
    ["that says both yes and no", (received) => answer(received, { callbackData: 1 }, { status: 500 }), /contradict/],
    ["that says both no and yes", (received) => answer(received, { error: "x" }, { status: 200 }), /contradict/],
    [
      "that is larger than an answer may be",
      (received) => answer(received, { callbackData: "x".repeat(limits.callbackAnswer) }),
      /too large/,
    ],
    [
      "that is no result",
      async ({ event }) => {
        const text = "{}"
        return new Response(text, { headers: { "x-sluice-signature": await signAnswer(event, text, signer) } })
      },
      /fileKey/,
    ],
    [
      "that is nested a thousand levels deep",
      async ({ event }) => {
        const text = "[".repeat(30_000)
        return new Response(text, { headers: { "x-sluice-signature": await signAnswer(event, text, signer) } })
      },
      /nested/,
    ],
    [
      "that is no JSON",
      async ({ event }) => {
        const text = "ok"
        return new Response(text, { headers: { "x-sluice-signature": await signAnswer(event, text, signer) } })
      },
      /not JSON/,
    ],
  ]
  it.each(failing)(
    "%s is a failed attempt: nothing of it is kept, and the app posts the next time",
    async (_, toAnswer, reason) => {
      const { app, grant, ingest, response, body, attempts } = await upload((received, count) =>
        count === 1 ? toAnswer(received) : answerWith("posted")(received),
      )
      expect([response.status, body.code]).toEqual([502, "CALLBACK_FAILED"])
      const { result, delivery } = (await ingest.catalog.get(grant.key))!
      expect([result, delivery?.status, delivery?.failures]).toEqual([null, "pending", 1])
      const [attempt] = await attempts()
      expect(attempt?.error).toMatch(reason)
      const again = await putRaw(await sign(ingest.url, grant), "hello")
      expect((await again.json()).serverData).toBe("posted")
      expect(app.received.map(({ headers }) => headers.get("sluice-accept"))).toEqual(["result", null])
    },
  )

  it("that never ends is a failed attempt when the time for the callback is over", async () => {
    const { attempts, response } = await upload(
      async (received) => {
        const { headers } = await answer(received, { callbackData: 1 })
        return new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([123])) }), {
          headers,
        })
      },
      { callbackTimeout: 300 },
    )
    expect(response.status).toBe(502)
    expect((await attempts())[0]?.error).toMatch(/not signed|cannot be used/)
  })

  it("is refused where the quota has no room for it", async () => {
    const catalog = createMemoryCatalog()
    const full = { ...catalog, usage: async (id: string) => ({ ...(await catalog.usage(id)), catalogBytes: 2 ** 24 }) }
    const options = { quota: 10_000, catalog: full }
    const { attempts } = await upload((received) => answer(received, { callbackData: "x".repeat(3000) }), options)
    expect((await attempts())[0]?.error).toMatch(/quota has no room for the result/)
  })

  it("after a posted result changes nothing of that", async () => {
    const { body, grant, ingest } = await upload(async (received) => {
      await postResult(received.event.origin, { fileKey: keyOf(received), callbackData: "first" })
      return answer(received, { callbackData: "second" })
    })
    expect(body.serverData).toBe("first")
    expect((await ingest.catalog.get(grant.key))?.result).toEqual({ data: '"first"' })
  })

  it("of a file that was deleted meanwhile gives the client nothing", async () => {
    let remove = async () => {}
    const catalog = createMemoryCatalog()
    const ingest = await startIngest({ catalog })
    const app = await startApp(async (received) => {
      await remove()
      return answer(received, { callbackData: "secret" })
    })
    const grant = createGrant({ slug: "avatar" })
    remove = async () => {
      await fetch(`${ingest.url}/v6/deleteFiles`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-sluice-api-key": "sk_test_0123456789abcdef" },
        body: JSON.stringify({ fileKeys: [grant.key] }),
      })
    }
    await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: true })
    const response = await putRaw(await sign(ingest.url, grant), "hello")
    expect([response.status, await response.text()]).toEqual([404, expect.not.stringMatching(/secret/)])
  })
})

it("fifteen clients that ask for a finished file at once all get its result", async () => {
  const catalog = createMemoryCatalog()
  // So slow that each finds others before it.
  const begin: Catalog["begin"] = async (wanted) => {
    await setTimeout(30)
    return catalog.begin(wanted)
  }
  const { ingest, grant } = await upload((received) => answer(received, { callbackData: 7 }), {
    catalog: { ...catalog, begin },
  })
  const url = await sign(ingest.url, grant)
  const asked = await Promise.all(Array.from({ length: 15 }, () => putRaw(url, null, 5)))
  const answers = await Promise.all(asked.map(async (each) => [each.status, (await each.json()).serverData]))
  expect(answers).toEqual(answers.map(() => [200, 7]))
})

describe("an answer without a signature", () => {
  it("is that of an app that posts: its result is awaited", async () => {
    const { body } = await upload(answerWith({ ok: 1 }))
    expect(body.serverData).toEqual({ ok: 1 })
  })
})
