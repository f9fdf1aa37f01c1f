import { setTimeout as sleep } from "node:timers/promises"
import { names } from "../../../src/protocol.ts"
import { createAsk } from "./ask.ts"
import type { Moment } from "./moments.ts"
import type { Upload, World } from "./world.ts"

/** What the app does with files that have arrived, until each call is answered. */
export const createRestCalls = (world: World) => {
  const { apiKey, ingestUrl, see, violate, isHopeless, counts, held } = world
  const exchange = createAsk(world)
  /** Asks until there is an answer; one whose connection broke may have been heeded. */
  const call = async (operation: string, body: object, moment: Moment): Promise<Record<string, unknown>> => {
    while (!isHopeless()) {
      const answer = await exchange(`${await ingestUrl()}/${names.path.api}/${operation}`, {
        method: "POST",
        headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
        body: [Buffer.from(JSON.stringify(body))],
        onSent: () => see(moment),
      })
      if (answer?.status === 200) return JSON.parse(answer.body.toString())
      if (answer === undefined) counts.broken++
      else violate(`${operation} ${JSON.stringify(body)}: ${answer.status} ${answer.body.toString()}`)
    }
    return {}
  }

  /** The status of a read without a signature; undefined where the connection broke. */
  const read = async ({ grant }: Upload): Promise<number | undefined> =>
    (await exchange(`${await ingestUrl()}/${names.path.file}/${grant.key}`, { method: "GET" }))?.status

  const expectUnread = async (upload: Upload, allowed: ReadonlyArray<number>): Promise<void> => {
    const status = await read(upload)
    if (status === undefined || allowed.includes(status)) return
    violate(`${upload.fate}, and read too early: ${upload.grant.key} ${status}`)
  }

  /** A file that is pending is claimed before its time has passed. */
  const claim = async (upload: Upload): Promise<void> => {
    await expectUnread(upload, [403])
    await call("claimFiles", { fileKeys: [upload.grant.key] }, "claim")
    counts.claims++
  }

  /** Nobody claims it: when its time has passed it is gone. */
  const leave = async (upload: Upload): Promise<void> => {
    await expectUnread(upload, [403, 404])
    await sleep(upload.labels.claimWithin)
    counts.unclaimed++
    see("clean-up")
  }

  /** A file that is held is judged once: what is said later changes nothing. */
  const judge = async (upload: Upload): Promise<void> => {
    const fileKeys = [upload.grant.key]
    await expectUnread(upload, [404])
    held.delete(upload.grant.key)
    const verdicts = ["releaseFiles", "rejectFiles"] as const
    const [verdict, other] = upload.fate === "released" ? verdicts : ([verdicts[1], verdicts[0]] as const)
    await call(verdict, { fileKeys }, "verdict")
    const { releasedCount, rejectedCount = releasedCount } = await call(other, { fileKeys }, "verdict")
    if (rejectedCount !== 0 && !isHopeless()) violate(`judged twice: ${upload.fate} ${upload.grant.key}`)
    counts.verdicts++
  }

  return { call, claim, leave, judge }
}
