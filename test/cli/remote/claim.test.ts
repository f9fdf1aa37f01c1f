import { describe, expect, it } from "vitest"
import { createFileKey, encodeAppId, limits } from "../../../src/protocol.ts"
import { appId } from "../../ingest/circle.ts"
import { startByHand } from "./by-hand.ts"

type Hand = Pick<Awaited<ReturnType<typeof startByHand>>, "api">

/** Stores small files of an owner that wait to be claimed. */
const store = async ({ api }: Hand, count: number, owner = "user-7"): Promise<Array<string>> => {
  const files = Array.from({ length: count }, (_, i) =>
    Object.assign(new File([`${i}`], `${i}.txt`), { labels: { owner, claim: "1 hour" as const } }),
  )
  return (await api.uploadFiles(files)).map(({ data }) => data!.key)
}

const listPending = async ({ api }: Hand) => (await api.listFiles({ status: "Pending" })).files.map(({ key }) => key)

const missing = createFileKey(encodeAppId(appId))

describe("sluice claim", { timeout: 60_000 }, () => {
  it("claims files by their keys, also of standard input, and twice", async () => {
    const hand = await startByHand()
    const [a, b, c] = await store(hand, 3)
    expect(await hand.run(["claim", a!])).toEqual({ code: 0, stdout: "Claimed 1 file.\n", stderr: "" })
    expect(await hand.run(["claim", a!, "-"], { input: `${b}\n` })).toMatchObject({
      code: 0,
      stdout: "Claimed 2 files.\n",
    })
    expect(await listPending(hand)).toEqual([c])
    const { code, stdout } = await hand.run(["claim", c!, "--json"])
    expect({ code, answer: JSON.parse(stdout) }).toEqual({
      code: 0,
      answer: { claimed: [c], replacedCount: 0, missing: [], error: null },
    })
  })

  it("claims none where one is missing, and names all that are", async () => {
    const hand = await startByHand()
    const [a] = await store(hand, 1)
    const { code, stdout, stderr } = await hand.run(["claim", a!, missing])
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "",
      stderr: `sluice: ${missing}: It is not there: deleted, too late, or never begun.\nsluice: Nothing was claimed.\n`,
    })
    const word = await hand.run(["claim", a!, "evil\u001b[2J"])
    expect(word.code).toBe(1)
    expect(word.stderr).toBe(
      "sluice: evil\\u{1b}[2J: It is not there: deleted, too late, or never begun.\n" +
        "sluice: What is no key of this app's files cannot be claimed: no custom id finds a pending file. Nothing was claimed.\n",
    )
    expect(JSON.parse((await hand.run(["claim", a!, missing, "--json"])).stdout)).toMatchObject({
      claimed: [],
      missing: [missing],
      error: { code: "NOT_FOUND" },
    })
    expect(await listPending(hand)).toEqual([a])
  })

  it("claims nobody else's, and deletes what is replaced", async () => {
    const hand = await startByHand()
    const [theirs] = await store(hand, 1, "user-8")
    const [mine, former] = await store(hand, 2)
    const refused = await hand.run(["claim", theirs!, "--owner", "user-7"])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("never begun, or of another owner.") })
    const through = await hand.run(["claim", mine!, "--owner", "user-7", "--slug", "avatar"])
    expect(through).toMatchObject({ code: 1, stderr: expect.stringContaining("or of another owner or file route.") })
    const { code, stdout } = await hand.run([
      "claim",
      mine!,
      "--owner",
      "user-7",
      "--replaces",
      former!,
      "--replaces",
      missing,
      "--replaces",
      "no key",
    ])
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Claimed 1 file, and deleted 1 of 3 that they replace.\n" })
    expect(await listPending(hand)).toEqual([theirs])
    expect(await hand.run(["claim", mine!, "--owner", ""])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("option '--owner <id>' argument '' is invalid"),
    })
  })

  it("refuses more than can be claimed in one step", async () => {
    const hand = await startByHand()
    const input = Array.from({ length: limits.filesPerCall + 1 }, () => createFileKey(encodeAppId(appId))).join("\n")
    const { code, stderr } = await hand.run(["claim", "-"], { input })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^sluice: At most 1000 files can be claimed together, .* Nothing was claimed/),
    })
    expect(await hand.run(["claim", "-"])).toMatchObject({ code: 0, stdout: "Claimed 0 files.\n" })
  })
})
