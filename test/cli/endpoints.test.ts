import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { fileEventTypes } from "../../src/ingest.ts"
import { runCommand } from "./run-command.ts"
import { openData, storeFile } from "./stored-files.ts"

let folder: string
let data: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-endpoints-"))
  data = join(folder, "data")
})
afterEach(() => rm(folder, { recursive: true }))

const run = (...args: ReadonlyArray<string>) => runCommand(["endpoints", ...args, "--data", data])

const parse = async (answer: ReturnType<typeof run>) => JSON.parse((await answer).stdout)

/** A data folder with the app `app`. */
const openApp = async () => {
  const open = openData(data)
  onTestFinished(() => open.catalog.close())
  const settings = { name: null, defaultAcl: null, quota: null, callbackOrigins: null }
  await open.catalog.createApp({ id: "app", createdAt: 1, ...settings })
  return open
}

describe("sluice endpoints", () => {
  it("makes, lists, changes and removes endpoints, and shows a secret once", async () => {
    await openApp()
    const made = await run("add", "https://search.example/hook", "--events", "deleted, uploaded")
    const [secret] = /whsec_[\w+/=]{44}/.exec(made.stdout)!
    const { endpoints } = await parse(run("list", "--json"))
    expect(endpoints).toMatchObject([
      {
        appId: "app",
        url: "https://search.example/hook",
        events: ["uploaded", "deleted"],
        secrets: [{ revokedAt: null }],
      },
    ])
    const [{ id }] = endpoints
    const listed = await run("list")
    expect(listed.stdout).toMatch(
      new RegExp(
        `^${id} +app +https://search\\.example/hook +uploaded, deleted +sec_\\w+ \\(\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\)$`,
        "m",
      ),
    )
    expect(JSON.stringify(endpoints) + listed.stdout).not.toContain(secret.slice(6))
    await run("change", id, "--events", "all", "--url", "https://other.example/")
    expect(await parse(run("--json"))).toMatchObject({
      endpoints: [{ url: "https://other.example/", events: fileEventTypes }],
    })
    expect(await parse(run("list", "--app", "nobody", "--json"))).toEqual({ endpoints: [] })
    expect(await run("remove", id)).toMatchObject({ code: 0 })
    const again = await run("remove", id)
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no endpoint") })
    expect((await run("list")).stdout).toContain("There are no endpoints.")
  })

  it("replaces a secret: two at most, and never none", async () => {
    await openApp()
    const { id, secret, secrets } = await parse(run("add", "https://a.example/", "--events", "all", "--json"))
    const second = await parse(run("rotate", id, "--json"))
    expect(second.secret).not.toBe(secret)
    const [newest, oldest] = second.secrets.map((each: { id: string }) => each.id)
    expect(oldest).toBe(secrets[0].id)
    const dated = (id: string) => `${id} \\(\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\)`
    expect((await run("list")).stdout).toMatch(new RegExp(`${dated(newest)}, ${dated(oldest)}$`, "m"))
    expect(await run("rotate", id)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`2 active secrets, .*: ${dated(newest)} and ${dated(oldest)}\\.`)),
    })
    const given = await run("revoke", id, secret)
    expect(given.code).toBe(2)
    expect(given.stderr).not.toContain(secret.slice(6))
    expect(await run("revoke", id, "sec_000000000000")).toMatchObject({ code: 1 })
    expect(await run("revoke", id, secrets[0].id)).toMatchObject({ code: 0 })
    expect(await run("revoke", id, secrets[0].id)).toMatchObject({ code: 0 })
    const last = second.secrets.find((each: { id: string }) => each.id !== secrets[0].id)
    expect(await run("revoke", id, last.id)).toMatchObject({ code: 1, stderr: expect.stringContaining("only active") })
  })

  it("lists and shows what endpoints are owed, and makes it due again", async () => {
    const open = await openApp()
    const { id } = await parse(run("add", "https://a.example/", "--events", "all", "--json"))
    await storeFile(open, "one", { name: "a\u001b[2J.txt", slug: undefined })
    const [due] = await open.catalog.claimEvents({ now: 1e13, claimedUntil: 2e13, limit: 9, roomOf: () => 9 })
    const attempt = { deliveryId: due!.id, attempt: 1, startedAt: 2_000_000, latency: 250, status: 500, error: "no" }
    await open.catalog.recordEventAttempt({ ...attempt, answer: "no\u001b[2J", outcome: "dead" })
    const listed = await run("events", id, "--status", "dead")
    expect(listed.stdout).toMatch(new RegExp(`^${due!.id} +uploaded +a\\\\u\\{1b\\}\\[2J\\.txt +${id} +dead +1$`, "m"))
    expect(await parse(run("events", "--status", "pending", "--json"))).toEqual({ events: [], nextCursor: null })
    const shown = await run("events", due!.id)
    expect(shown.stdout).toMatch(/^ *1 .* 500 +250 ms +no\\u\{1b\}\[2J$/m)
    expect(await parse(run("events", due!.id, "--json"))).toMatchObject({
      type: "uploaded",
      history: [{ status: 500 }],
    })
    const short = due!.id.slice(0, 22)
    const form = `There is no event "${short}" of an endpoint. The id of an event is evt_ and 32 characters, 0-9 and a-f.`
    expect(await run("events", short)).toMatchObject({ code: 1, stderr: expect.stringContaining(form) })
    expect(await run("redeliver", due!.id, short)).toMatchObject({ code: 1, stderr: expect.stringContaining(form) })
    const unknown = await run("events", `evt_${"0".repeat(32)}`)
    expect(unknown).toMatchObject({ code: 1, stderr: expect.not.stringContaining("32 characters") })
    expect((await open.catalog.findEvent(due!.id))!.status).toBe("dead")
    expect(await parse(run("redeliver", "--dead", id, "--json"))).toEqual({ due: [due!.id], refused: [] })
    expect((await open.catalog.findEvent(due!.id))!.status).toBe("pending")
  })

  it("says what is wrong with what was given, and no password of a URL", async () => {
    await openApp()
    const password = await run("add", "http://a:hunter2@b.example/", "--events", "all")
    expect(password).toMatchObject({ code: 2, stderr: expect.stringContaining("without user and password") })
    expect(password.stderr).not.toContain("hunter2")
    expect(await run("add", "ftp://b.example/", "--events", "all")).toMatchObject({ code: 2 })
    expect(await run("add", "http://b.example/")).toMatchObject({ code: 2 })
    const unknown = await run("add", "http://b.example/", "--events", "uploaded,renamed")
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no event "renamed"') })
    expect(await run("add", "http://b.example/", "--events", "all", "--app", "nobody")).toMatchObject({ code: 1 })
    expect(await run("change", "ep_1")).toMatchObject({ code: 2 })
    expect(await run("redeliver")).toMatchObject({ code: 2 })
    const test = await run("test", "ep_1")
    expect(test).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no endpoint") })
  })

  it("does not wait for an ingest that does not run", async () => {
    await openApp()
    const { id } = await parse(run("add", "https://a.example/", "--events", "all", "--json"))
    expect(await run("test", id)).toMatchObject({ code: 1, stdout: expect.stringContaining("No ingest runs on") })
  })
})
