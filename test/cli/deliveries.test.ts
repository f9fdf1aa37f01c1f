import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { toDeployment } from "../../src/cli/deployment/deployment.ts"
import { noteStart } from "../../src/cli/deployment/started-with.ts"
import type { Catalog } from "../../src/ingest.ts"
import { encodeToken, names, verifySignature } from "../../src/protocol.ts"
import {
  apiKey,
  createGrant,
  eventually,
  putRaw,
  type Received,
  register,
  sign,
  startApp,
  startIngest,
} from "../ingest/circle.ts"
import { runCommand } from "./run-command.ts"
import { attemptDelivery, beginFile, openData, registerFiles, storeFile } from "./stored-files.ts"

let folder: string
let data: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-deliveries-"))
  data = join(folder, "data")
})
afterEach(() => rm(folder, { recursive: true }))

const run = (command: string, ...args: ReadonlyArray<string>) => runCommand([command, ...args, "--data", data])

/** Events: `evt_one` delivered at the second attempt, `evt_two` dead, `evt_three` pending; and a file without any. */
const fill = async () => {
  const open = openData(data)
  onTestFinished(() => open.catalog.close())
  for (const key of ["one", "two", "three"]) {
    await registerFiles(open, [key], "http://app.example/api")
    await storeFile(open, key)
    if (key === "three") continue
    if (key === "one") {
      await attemptDelivery(open, { retryAt: 1_900_000 }, { status: 500, answer: "no\u001b[2J" })
      await attemptDelivery(open, "delivered", { status: 200, answer: '{"ok":true}' })
    } else await attemptDelivery(open, "dead", { status: null, answer: null })
  }
  await beginFile(open, "four")
  return open
}

describe("sluice deliveries", () => {
  it("lists events with what comes next, and shows one with every attempt", async () => {
    await fill()
    const all = JSON.parse((await run("deliveries", "--json")).stdout)
    expect(all.deliveries).toMatchObject([
      { id: "evt_three", status: "pending", nextAt: 1_002_000, attempts: 0, fileKey: "three" },
      { id: "evt_two", status: "dead", nextAt: null, attempts: 1 },
      { id: "evt_one", status: "delivered", attempts: 2, callbackUrl: "http://app.example/api", isDev: false },
    ])
    const dead = await run("deliveries", "list", "--status", "dead")
    expect(dead.stdout.trim().split("\n").slice(1)).toEqual([
      expect.stringMatching(/^evt_two +two\.txt +callback +dead +1$/),
    ])
    const shown = await run("deliveries", "show", "evt_one")
    expect(shown.stdout).toMatch(/^ *1 .* 500 +250 ms +no\\u\{1b\}\[2J$/m)
    expect(shown.stdout).toMatch(/^ *2 .* 200 +250 ms +\{"ok":true\}$/m)
    const { history } = JSON.parse((await run("deliveries", "show", "two", "--json")).stdout)
    expect(history).toEqual([
      { attempt: 1, startedAt: 2_000_000, latency: 250, status: null, error: "It failed.", answer: null },
    ])
  })

  it("redelivers by id or key, all or none of those named", async () => {
    const { catalog } = await fill()
    const unknown = await run("deliveries", "redeliver", "evt_one", "nothing")
    expect(unknown.code).toBe(1)
    for (const command of ["deliveries show", "deliveries redeliver", "explain"]) {
      const [name = "", ...verb] = command.split(" ")
      expect(await run(name, ...verb, "evt_0123456789abcdef")).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /There is no event "evt_0123456789abcdef" in .*\. The id of an event is evt_ and 32 /,
        ),
      })
    }
    expect((await catalog.findDelivery("evt_one"))?.delivery.status).toBe("delivered")
    const due = await run("deliveries", "redeliver", "evt_one", "two", "--json")
    expect(due.code).toBe(0)
    expect(JSON.parse(due.stdout)).toEqual({ due: ["evt_one", "evt_two"], refused: [], callbackUrl: null })
    expect(await catalog.listDeliveries({ status: "pending", limit: 9 })).toHaveLength(3)
    const none = await run("deliveries", "redeliver", "four")
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("No event is due for the file four") })
  })

  it("wants to know what to redeliver", async () => {
    expect((await run("deliveries", "redeliver")).code).toBe(2)
    expect((await run("deliveries", "redeliver", "evt_one", "--dead")).code).toBe(2)
  })

  it("has a running ingest send what was dead", async () => {
    const { catalog, store } = openData(data)
    const { url } = await startIngest({ catalog, store, callbackRetries: [] })
    let status = 500
    const app = await startApp(() => new Response(null, { status }))
    const grants = [createGrant({ slug: "avatar" }), createGrant({ slug: "avatar" })]
    await register(url, { fileKeys: grants.map(({ key }) => key), callbackUrl: app.url, awaitServerData: false })
    for (const grant of grants) await putRaw(await sign(url, grant), "hello")
    const areAll = async (wanted: string) =>
      (await Promise.all(grants.map(({ key }) => catalog.get(key)))).every(
        (upload) => upload?.delivery?.status === wanted,
      )
    await eventually(() => areAll("dead"))
    status = 200
    const { stdout } = await run("deliveries", "redeliver", "--dead")
    expect(stdout).toContain("2 events are due now.")
    await eventually(() => areAll("delivered"))
  })
})

describe("sluice deliveries redeliver --to", () => {
  const right = "http://127.0.0.1:8/api"

  it("has a running ingest call the right URL, once and signed, instead of the wrong one", async () => {
    const { catalog, store } = openData(data)
    const { url } = await startIngest({ catalog, store, callbackRetries: [3_600_000] })
    const wrong = await startApp(() => new Response(null, { status: 404 }))
    const app = await startApp()
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: wrong.url, awaitServerData: false })
    await putRaw(await sign(url, grant), "hello")
    await eventually(async () => (await catalog.get(grant.key))?.delivery?.failures === 1)
    const { code, stdout } = await run("deliveries", "redeliver", grant.key, "--to", app.url)
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: [
        "1 event is due now.",
        `From now on it goes to ${app.url}`,
        `instead of ${wrong.url}`,
        "A running ingest sends them within seconds, a stopped one when it starts.",
        "",
      ].join("\n"),
    })
    await eventually(async () => (await catalog.get(grant.key))?.delivery?.status === "delivered")
    expect([wrong.received.length, app.received.length]).toEqual([1, 1])
    const [{ url: called, body, headers, event }] = app.received as [Received]
    expect(called).toBe(`${app.url}?slug=avatar`)
    expect(event).toMatchObject({ status: "uploaded", file: { key: grant.key }, metadata: { userId: 7 } })
    const signature = headers.get(names.header.signature)!
    expect(await verifySignature(body, signature, apiKey)).toBe(true)
    const shown = JSON.parse((await run("deliveries", "show", grant.key, "--json")).stdout)
    expect(shown).toMatchObject({ callbackUrl: app.url, status: "delivered", attempts: 2 })
    expect((await run("explain", grant.key)).stdout).toContain(`avatar, ${app.url}`)
  })

  it("takes all that were given up", async () => {
    const { catalog } = await fill()
    const { stdout } = await run("deliveries", "redeliver", "--dead", "--to", right, "--json")
    expect(JSON.parse(stdout)).toEqual({ due: ["evt_two"], refused: [], callbackUrl: right })
    expect(await catalog.get("two")).toMatchObject({
      registration: { callbackUrl: right },
      delivery: { status: "pending" },
    })
    expect((await catalog.get("three"))?.registration?.callbackUrl).toBe("http://app.example/api")
  })

  it.each([
    ["another protocol", "ftp://app.example/api", "Expected an http(s) URL."],
    ["no protocol", "app.example/api", "Expected an http(s) URL."],
    ["a password", "http://user:secret@app.example/api", "Expected a URL without user and password."],
    ["a port that fetch refuses", "http://app.example:6667/api", "fetch refuses 6667."],
    ["no end", `http://app.example/${"a".repeat(2048)}`, "Expected at most 2048 characters."],
  ])("refuses a URL with %s as wrong usage, and changes nothing", async (_, url, why) => {
    const { catalog } = await fill()
    const { code, stdout, stderr } = await run("deliveries", "redeliver", "--dead", "--to", url)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(`--to is not a callback URL. `)
    expect(stderr).toContain(`${why} Nothing was changed.`)
    expect(stderr).not.toContain("secret")
    expect(await catalog.get("two")).toMatchObject({
      registration: { callbackUrl: "http://app.example/api" },
      delivery: { status: "dead" },
    })
  })

  /** Refused in a sentence, with everything as it was. */
  const refuse = async (catalog: Catalog, args: ReadonlyArray<string>, why: string) => {
    const before = await catalog.listDeliveries({ limit: 9 })
    const { code, stdout, stderr } = await run("deliveries", "redeliver", ...args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(why)
    expect(stderr).toContain("Nothing was changed.")
    expect(await catalog.listDeliveries({ limit: 9 })).toEqual(before)
  }

  it("refuses an origin that is none of the app's, with the command that allows it", async () => {
    const { catalog } = await fill()
    const callbackOrigins = ["http://app.example"]
    await catalog.createApp({ id: "app", name: null, defaultAcl: null, quota: null, callbackOrigins, createdAt: 1 })
    const allow = "sluice apps set app --callback-origin http://app.example --callback-origin http://127.0.0.1:8"
    await refuse(catalog, ["--dead", "--to", right], allow)
    expect((await run("deliveries", "redeliver", "--dead", "--to", "http://app.example/b")).code).toBe(0)
  })

  it("refuses a private network to an app that is not the ingest's own, where the ingest does", async () => {
    const { catalog, path } = await fill()
    const token = encodeToken({ apiKey, appId: "own", regions: ["local"] })
    await writeFile(join(path, "token"), `${token}\n`)
    await writeFile(join(path, "started-with.json"), '{"callbackNetworks":"public"}')
    await refuse(catalog, ["two", "--to", right], "go to the public Internet only")
    await writeFile(join(path, "started-with.json"), '{"callbackNetworks":"any"}')
    expect((await run("deliveries", "redeliver", "two", "--to", right)).code).toBe(0)
  })

  it("refuses events of several apps, and one that an app fetches itself", async () => {
    const open = await fill()
    const { catalog } = open
    const registration = { metadata: "{}", callbackSlug: "avatar", awaitServerData: false, trace: null, now: 1_000_500 }
    for (const [appId, isDev] of [
      ["second", false],
      ["app", true],
    ] as const) {
      const key = isDev ? "dev" : "theirs"
      const createEventId = () => `evt_${key}`
      const callbackUrl = "http://b.example/"
      await catalog.register({ ...registration, appId, isDev, fileKeys: [key], callbackUrl, createEventId })
      await storeFile(open, key, { appId })
    }
    await refuse(catalog, ["two", "theirs", "--to", right], "of the apps app, second")
    await refuse(catalog, ["two", "dev", "--to", right], "evt_dev belongs to a development stream")
  })
})

describe("sluice explain", () => {
  it("tells what became of an upload in the order it happened", async () => {
    const { catalog } = await fill()
    await catalog.recordResult({ appId: "app", key: "one", result: { error: "No room." }, now: 2_000_100 })
    const { timeline, summary, status } = JSON.parse((await run("explain", "evt_one", "--json")).stdout)
    expect(status).toBe("Uploaded")
    expect(summary).toBe("The file is stored, and its app was told, but could not handle it.")
    expect(timeline.map(({ at, stage }: { at: number; stage: string }) => [at, stage])).toEqual([
      [1_000_000, "begun"],
      [1_000_500, "registered"],
      [1_002_000, "uploaded"],
      [2_000_000, "attempt"],
      [2_000_000, "attempt"],
      [2_000_100, "result"],
    ])
    const { stdout } = await run("explain", "one")
    expect(stdout).toMatch(/\+500 ms +registered +avatar, http:\/\/app\.example\/api$/m)
    expect(stdout).toMatch(/\+16\.7 min +attempt +#1, answered 500: no\\u\{1b\}\[2J \(250 ms\)$/m)
    expect(stdout).toMatch(/result +error: No room\.$/m)
    const pending = await run("explain", "three")
    expect(pending.stdout).toMatch(/Its app has yet to be told\.[^]*next attempt/)
  })

  it("tells that a file waits for a verdict, and of one that was rejected", async () => {
    const open = openData(data)
    onTestFinished(() => open.catalog.close())
    await registerFiles(open, ["held"], "http://app.example/api")
    await storeFile(open, "held", {}, "hello", { hold: true })
    const explain = async () => JSON.parse((await run("explain", "held", "--json")).stdout)
    const since = /^The file is stored, and held until a verdict since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\. /
    const byHand =
      /: look at it with `sluice get --held held`, then `sluice release held`, or `sluice reject held --reason <text>`\.$/
    const held = await explain()
    expect(held).toMatchObject({ status: "Held", delivery: null })
    expect(held.summary).toMatch(since)
    expect(held.summary).toMatch(byHand)
    expect(held.summary).toContain("No scanner is known here, so your app or a person decides:")
    expect(held.timeline.at(-1)).toEqual({ at: 1_002_000, stage: "held", detail: "waits for a verdict" })
    const note = {
      callbackNetworks: "public",
      reads: "proxy",
      scanner: "tcp://10.0.0.7:3310",
      url: null,
      keyId: null,
    } as const
    await noteStart(toDeployment({ data }), note)
    const scanned = await explain()
    expect(scanned.summary).toMatch(since)
    expect(scanned.summary).toMatch(/ The scanner at tcp:\/\/10\.0\.0\.7:3310 decides: `sluice doctor` /)
    expect(scanned.summary).toMatch(byHand)
    const judgement = { appId: "app", files: [{ key: "held" }], now: 1_005_000, createEventId: () => "evt_held" }
    await open.catalog.judgeHeld({ ...judgement, verdict: { kind: "reject", reason: "No." } })
    const { status, summary, timeline } = await explain()
    expect([status, summary]).toEqual(["Failed", "The upload has failed. Its app has yet to be told."])
    expect(timeline).toContainEqual({ at: 1_002_000, stage: "held", detail: "" })
    expect(timeline).toContainEqual({ at: 1_005_000, stage: "failed", detail: "REJECTED: No." })
  })
})
