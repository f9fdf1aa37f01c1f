import { describe, expect, it } from "vitest"
import { createFileKey, encodeAppId } from "../../../src/protocol.ts"
import { appId } from "../../ingest/circle.ts"
import { startByHand } from "./by-hand.ts"

type Hand = Awaited<ReturnType<typeof startByHand>>

/** Uploads a file that is held, by the command. */
const hold = async (hand: Hand, name: string): Promise<string> => {
  const put = await hand.run(["put", await hand.write(name, name), "--hold"])
  const [key] = put.stdout.split(" ")
  expect(put).toMatchObject({ code: 0, stderr: expect.stringContaining(`sluice release ${key}`) })
  return key!
}

const statusOf = async ({ api }: Hand) =>
  Object.fromEntries((await api.listFiles()).files.map(({ key, status }) => [key, status]))

const missing = createFileKey(encodeAppId(appId))

describe("sluice release and sluice reject", { timeout: 60_000 }, () => {
  it("judge files that are held, by their keys and those of standard input", async () => {
    const hand = await startByHand()
    const [a, b, c] = [await hold(hand, "a.txt"), await hold(hand, "b.txt"), await hold(hand, "c.txt")]
    expect(await hand.run(["release", a, "-"], { input: `${b}\n` })).toEqual({
      code: 0,
      stdout: "Released 2 files.\n",
      stderr: "",
    })
    const put = await hand.run(["put", await hand.write("d.txt", "d"), "--hold", "--json"])
    expect(JSON.parse(put.stdout)).toMatchObject({ status: "Held", claimBy: null })
    await hand.run(["rm", JSON.parse(put.stdout).key])
    const rejected = await hand.run(["reject", c, "--reason", "Too blue.", "--json"])
    expect(JSON.parse(rejected.stdout)).toEqual({ rejected: [c], notHeld: [], left: [], error: null })
    expect(await statusOf(hand)).toMatchObject({ [a]: "Uploaded", [b]: "Uploaded", [c]: "Failed" })
    expect((await hand.ingest.catalog.get(c))!.file.failure).toEqual({ code: "REJECTED", message: "Too blue." })
  })

  it("say which files are not held, and judge the others", async () => {
    const hand = await startByHand()
    const a = await hold(hand, "a.txt")
    const { code, stdout, stderr } = await hand.run(["release", missing, "evil\u001b[2J", a])
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "Released 1 file.\n",
      stderr: `sluice: ${missing}: No file with this key is held.\nsluice: evil\\u{1b}[2J: No file with this key is held.\n`,
    })
    const again = await hand.run(["reject", a, "--json"])
    expect({ code: again.code, ...JSON.parse(again.stdout) }).toMatchObject({ code: 1, rejected: [], notHeld: [a] })
    expect(await statusOf(hand)).toEqual({ [a]: "Uploaded" })
  })

  it("say that an ingest does not answer, and of which files nothing is known", async () => {
    const hand = await startByHand()
    const a = await hold(hand, "a.txt")
    await hand.ingest.close()
    const { code, stdout } = await hand.run(["release", a, "--json"])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ released: [], left: [a], error: { code: expect.any(String) } })
  })
})
