import { describe, expect, it } from "vitest"
import { createFileKey, encodeAppId } from "../../../src/protocol.ts"
import { appId } from "../../ingest/circle.ts"
import { startBehind, startByHand } from "./by-hand.ts"

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
    expect(stderr).toBe("sluice: evil\\u{1b}[2J: There is no such file.\n")
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
