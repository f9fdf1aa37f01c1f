import { describe, expect, it } from "vitest"
import { createSqliteCatalog } from "../../../src/ingest.ts"
import { createFileKey, encodeAppId } from "../../../src/protocol.ts"
import { appId, createGrant } from "../../ingest/circle.ts"
import { skipLacking } from "../../skip-lacking.ts"
import { hasTerminal, lacksTerminal, runAtTerminal } from "../at-terminal.ts"
import { runCommand } from "../run-command.ts"
import { type Passing, startBehind, startByHand, tokenFor } from "./by-hand.ts"

type Hand = Pick<Awaited<ReturnType<typeof startByHand>>, "api">

/** Stores small files. */
const store = async ({ api }: Hand, count: number): Promise<Array<string>> => {
  const files = Array.from({ length: count }, (_, i) => new File([`${i}`], `${i}.txt`))
  const results = await api.uploadFiles(files, { concurrency: 50 })
  return results.map(({ data }) => data!.key)
}

const missing = createFileKey(encodeAppId(appId))

describe("sluice rm", { timeout: 60_000 }, () => {
  it("deletes files, and names those that were not there, each once", async () => {
    const hand = await startByHand()
    const [a, b, kept] = await store(hand, 3)
    const { code, stdout, stderr } = await hand.run(["rm", a!, missing, b!, a!])
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "Deleted 2 files.\n",
      stderr: `sluice: ${missing}: There is no such file.\n`,
    })
    expect((await hand.api.listFiles({ status: "Uploaded" })).files.map(({ key }) => key)).toEqual([kept])
    expect(await hand.run(["rm", a!, "-f"])).toEqual({ code: 0, stdout: "Deleted 0 files.\n", stderr: "" })
    expect(await hand.run(["rm", kept!])).toEqual({ code: 0, stdout: "Deleted 1 file.\n", stderr: "" })
  })

  it("lets a word that can be no key spoil nothing for the others", async () => {
    const hand = await startByHand()
    const [a] = await store(hand, 1)
    const strange = ["../../x", "😀", "evil\u001b[2J", "x".repeat(3000), `${encodeAppId(appId)}${"x".repeat(600)}`]
    const { code, stdout } = await hand.run(["rm", ...strange, a!, "--json"])
    expect({ code, answer: JSON.parse(stdout) }).toEqual({
      code: 1,
      answer: { deleted: [a], notFound: strange, left: [], error: null },
    })
    const { stderr } = await hand.run(["rm", "evil\u001b[2J"])
    expect(stderr).toBe(
      "sluice: evil\\u{1b}[2J: There is no such file: it is no key of this app. To delete by custom id: sluice rm --custom-id <id>\n",
    )
    expect(await hand.run(["rm", "-rf", a!])).toMatchObject({ code: 2 })
  })

  it("reads keys from standard input, more than one call takes", async () => {
    const hand = await startByHand()
    const keys = await store(hand, 1001)
    const input = `${keys.join("\r\n")}\n\n  ${missing}`
    const { code, stdout } = await hand.run(["rm", "-", "--json"], { input })
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({ deleted: keys, notFound: [missing], left: [], error: null })
    expect((await hand.api.listFiles({ status: "Uploaded" })).files).toEqual([])
    expect(await hand.run(["rm", "-"], { input: "" })).toEqual({ code: 0, stdout: "Deleted 0 files.\n", stderr: "" })
  })

  it("bounds what a line may hold, and still says what it did before", async () => {
    const hand = await startByHand()
    const [a] = await store(hand, 1)
    const { code, stdout } = await hand.run(["rm", a!, "-", "--json"], { input: "x".repeat(5000) })
    expect({ code, answer: JSON.parse(stdout) }).toMatchObject({
      code: 1,
      answer: { deleted: [], left: [a], error: { code: "BAD_REQUEST", message: expect.stringContaining("4096") } },
    })
  })

  it("says of which files it is not known when a call fails", async () => {
    let calls = 0
    const hand = await startBehind((passing) => {
      if (!passing.path.endsWith("/deleteFiles") || ++calls === 1) return
      passing.status = 403
      passing.headers.set("content-type", "application/problem+json")
      passing.body = Buffer.from(JSON.stringify({ code: "FORBIDDEN", detail: "Not today." }))
    })
    const keys = await store(hand, 1002)
    const { code, stdout, stderr } = await hand.run(["rm", "-"], { input: keys.join("\n") })
    expect({ code, stdout }).toEqual({ code: 1, stdout: "Deleted 1000 files.\n" })
    expect(stderr).toBe(
      "sluice: Not today.\nsluice: Of 2 files it is not known whether they were deleted. Try again.\n",
    )
  })

  it("does not guess with an ingest that does not name the files", async () => {
    const hand = await startBehind((passing) => {
      if (!passing.path.endsWith("/deleteFiles")) return
      const { deletedKeys: _, ...answer } = JSON.parse(passing.body.toString())
      passing.body = Buffer.from(JSON.stringify(answer))
    })
    const [a, b] = await store(hand, 2)
    const mixed = await hand.run(["rm", a!, missing])
    expect(mixed).toMatchObject({ code: 1, stderr: expect.stringContaining("it deleted 1 of 2 files") })
    expect(await hand.run(["rm", b!])).toEqual({ code: 0, stdout: "Deleted 1 file.\n", stderr: "" })
    expect(await hand.run(["rm", missing])).toMatchObject({ code: 1, stdout: "Deleted 0 files.\n" })
  })
})

describe("sluice rm --custom-id", { timeout: 60_000 }, () => {
  it("deletes all files that have it, beside keys, and names the ids that no file has", async () => {
    const hand = await startByHand()
    const [key, kept] = await store(hand, 2)
    const customId = "report 7"
    const two = ["1", "2"].map((text) => Object.assign(new File([text], text), { customId }))
    const same = (await hand.api.uploadFiles(two)).map(({ data }) => data!.key)
    const { code, stdout } = await hand.run(["rm", key!, "--custom-id", customId, "--custom-id", "n\u001bo", "--json"])
    const answer = JSON.parse(stdout)
    expect({ code, ...answer, deleted: answer.deleted.toSorted() }).toEqual({
      code: 1,
      deleted: [key!, ...same].toSorted(),
      notFound: ["n\u001bo"],
      left: [],
      error: null,
    })
    expect((await hand.api.listFiles({ status: "Uploaded" })).files.map((file) => file.key)).toEqual([kept])
    const { stderr } = await hand.run(["rm", "--custom-id", "n\u001bo"])
    expect(stderr).toBe("sluice: n\\u{1b}o: There is no file with this custom id.\n")
    expect(await hand.run(["rm", "--custom-id", "n\u001bo", "-f"])).toMatchObject({ code: 0, stderr: "" })
  })
})

describe("sluice rm --owner, --prefix", { timeout: 60_000 }, () => {
  /** Stores an empty file for each path. */
  const storeAt = async ({ api }: Hand, owner: string, ...paths: ReadonlyArray<string>): Promise<void> => {
    const files = paths.map((path) => Object.assign(new File([], "x"), { labels: { owner, path } }))
    for (const { error } of await api.uploadFiles(files)) if (error !== null) throw error
  }
  const listPaths = async ({ api }: Hand) =>
    (await api.listFiles({ status: "Uploaded" })).files.map(({ owner, path }) => `${owner} ${path}`).toSorted()

  it("deletes the files of an owner, those below a path, or what is both", async () => {
    const hand = await startByHand()
    await storeAt(hand, "user-7", "albums/a", "albums/b", "notes/c")
    await storeAt(hand, "user-8", "albums/d", "albums/e", "notes/f")
    const both = await hand.run(["rm", "--owner", "user-7", "--prefix", "albums/", "--yes"])
    expect(both).toEqual({
      code: 0,
      stdout: "Deleted 2 files of the owner user-7 whose path begins with albums/.\n",
      stderr: "",
    })
    expect(await listPaths(hand)).toEqual(["user-7 notes/c", "user-8 albums/d", "user-8 albums/e", "user-8 notes/f"])
    const below = await hand.run(["rm", "--prefix", "notes/", "--yes", "--json"])
    expect({ code: below.code, answer: JSON.parse(below.stdout) }).toEqual({
      code: 0,
      answer: {
        deletionId: expect.any(String),
        owner: null,
        prefix: "notes/",
        deletedCount: 2,
        isDone: true,
        error: null,
      },
    })
    expect((await hand.run(["rm", "--owner", "user-8", "--yes"])).stdout).toBe("Deleted 2 files of the owner user-8.\n")
    expect(await listPaths(hand)).toEqual([])
    expect((await hand.run(["rm", "--owner", "user-8", "--yes"])).stdout).toBe("Deleted 0 files of the owner user-8.\n")
  })

  it("waits until the ingest is done, of more files than it marks before it answers", async () => {
    const catalog = createSqliteCatalog({ file: ":memory:" })
    const hand = await startByHand({ catalog })
    for (let i = 0; i < 1200; i++) {
      const grant = createGrant({ expires: Date.now() + 60_000 })
      await catalog.begin({ grant, labels: { owner: "user-7" }, origin: hand.url, now: Date.now() })
    }
    const { code, stdout } = await hand.run(["rm", "--owner", "user-7", "--yes", "--json"])
    expect({ code, answer: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      answer: { deletedCount: 1200, isDone: true },
    })
  })

  it.for([
    ["y\n", 0],
    ["\n", 1],
    ["\u0003", 1],
  ] as const)("asks at a terminal, and shows what would go; %j ends with code %i", async ([keys, expected], test) => {
    if (!hasTerminal) return skipLacking(test, lacksTerminal)
    const hand = await startByHand()
    await storeAt(hand, "user-7", "albums/a", "albums/b", "albums/c", "albums/d", "notes/\u202Ee")
    await storeAt(hand, "user-8", "albums/a")
    const env = { SLUICE_TOKEN: tokenFor(hand.url) }
    const { code, stdout } = await runAtTerminal(["rm", "--owner", "user-7"], keys, { cwd: hand.folder, env })
    expect(stdout).toContain(`This deletes every file of the owner user-7 at ${hand.url}, for good: 5 files, 0B.`)
    expect(stdout).toContain(String.raw`  notes/\u{202e}e`)
    expect(code).toBe(expected)
    expect(stdout).toContain(expected === 0 ? "Deleted 5 files of the owner user-7." : "Nothing was deleted.")
    expect(await listPaths(hand)).toHaveLength(expected === 0 ? 1 : 6)
  })

  it("deletes nothing without having asked, where nobody can be", async () => {
    const hand = await startByHand()
    await storeAt(hand, "user-7", "a")
    expect(await hand.run(["rm", "--owner", "user-7"])).toEqual({
      code: 1,
      stdout: "",
      stderr: "sluice: There is no terminal to ask on, so nothing was deleted. Add --yes to delete.\n",
    })
    expect((await hand.run(["rm", "--owner", "user-7", "--json"])).stderr).toContain("add --yes")
    expect(await listPaths(hand)).toEqual(["user-7 a"])
  })

  it.each([
    [[], "name the keys of files, or say --custom-id, --owner or --prefix"],
    [["--owner", "", "--yes"], "option '--owner <id>' argument '' is invalid. Expected an owner"],
    [["--prefix", "", "--yes"], "option '--prefix <path>' argument '' is invalid."],
    [["--prefix", "/albums", "--yes"], "no path begins with a slash"],
    [["some-key", "--owner", "user-7", "--yes"], "name no files beside them"],
    [["--owner", "user-7", "-f"], "--force is for files that are named. To delete without being asked: --yes"],
  ])("takes %j for wrong usage, and deletes nothing", async (args, message) => {
    const { code, stdout, stderr } = await runCommand(["rm", ...args])
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining(message) })
  })

  /** An ingest that never says that it is done, until `change` changes its answers. */
  const startSlow = (change: (passing: Passing) => void) =>
    startBehind((passing) => {
      const answer = () => JSON.parse(passing.body.toString())
      if (passing.path.endsWith("/deleteFiles")) {
        passing.body = Buffer.from(JSON.stringify({ ...answer(), isDone: false }))
      } else if (passing.path.endsWith("/listDeletions")) {
        const deletions = answer().deletions.map((deletion: object) => ({ ...deletion, doneAt: null }))
        passing.body = Buffer.from(JSON.stringify({ deletions }))
      }
      change(passing)
    })

  const refuse = (passing: Passing, status: number, code: string) => {
    passing.status = status
    passing.headers.set("content-type", "application/problem+json")
    passing.body = Buffer.from(JSON.stringify({ code, detail: "Not today." }))
  }

  it("says that the deletion goes on when it is interrupted", async () => {
    let ask = () => {}
    const asked = new Promise<void>((resolve) => (ask = resolve))
    const hand = await startSlow(({ path }) => path.endsWith("/listDeletions") && ask())
    await storeAt(hand, "user-7", "a")
    const deleting = hand.start(["rm", "--owner", "user-7", "--yes"])
    await asked
    deleting.child.kill("SIGINT")
    expect(await deleting.ended).toEqual({
      code: 130,
      stdout: "Deleted 1 file of the owner user-7, so far.\n",
      stderr:
        "sluice: It was interrupted. Nobody can read the files any more, and the ingest goes on by itself. The same command again waits for it.\n",
    })
  })

  it("says so, too, when the ingest cannot be asked any more", async () => {
    const hand = await startSlow((passing) => {
      if (passing.path.endsWith("/listDeletions")) refuse(passing, 403, "FORBIDDEN")
    })
    await storeAt(hand, "user-7", "a")
    const { code, stdout } = await hand.run(["rm", "--owner", "user-7", "--yes", "--json"])
    expect({ code, answer: JSON.parse(stdout) }).toMatchObject({
      code: 1,
      answer: { deletedCount: 1, isDone: false, error: { code: "FORBIDDEN", message: "Not today." } },
    })
  })

  it("goes by the deletion that has taken the place of its own", async () => {
    const hand = await startSlow((passing) => {
      if (!passing.path.endsWith("/listDeletions")) return
      const other = { id: "99", owner: "user-7", prefix: null, askedAt: 1, doneAt: 2, deletedCount: 3 }
      passing.body = Buffer.from(JSON.stringify({ deletions: [{ ...other, id: "98", prefix: "x" }, other] }))
    })
    await storeAt(hand, "user-7", "a")
    const { code, stdout } = await hand.run(["rm", "--owner", "user-7", "--yes", "--json"])
    expect({ code, answer: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      answer: { deletionId: "99", deletedCount: 4, isDone: true },
    })
  })

  it.each([
    ["BAD_REQUEST", 400, "Nothing was deleted. An ingest older than this command deletes by keys alone."],
    ["FORBIDDEN", 403, "Nothing was deleted."],
  ])("says what became of the files after %s", async (code, status, advice) => {
    const hand = await startBehind((passing) => {
      if (passing.path.endsWith("/deleteFiles")) refuse(passing, status, code)
    })
    expect(await hand.run(["rm", "--owner", "user-7", "--yes"])).toEqual({
      code: 1,
      stdout: "",
      stderr: `sluice: Not today. ${advice}\n`,
    })
  })
})
