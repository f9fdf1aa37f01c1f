import { type Catalog, fileEventTypes } from "../../../../src/ingest.ts"
import { expectSame, expectThat } from "./command.ts"
import { isHeld, isOverdue, type Kept, type Model } from "./model.ts"

const id = "ep_model"

/** Whether an endpoint has heard of a file that is there: it has arrived, and an app knows of it. */
const isKnown = (kept: Kept | undefined): kept is Kept =>
  kept?.file.status === "Uploaded" && (kept.file.slug === null || kept.isRegistered)

const waitsForClaim = ({ file }: Kept): boolean => file.claimWithin !== null || file.claimBy !== null

/** How the failure of a file reads, once an app knows of it. */
const failureOf = (kept: Kept | undefined): string | undefined =>
  kept?.file.status === "Failed" && (kept.file.slug === null || kept.isRegistered) ? kept.file.failure!.code : undefined

/** What an endpoint hears when one file has become another in the model; `after` is undefined where it is gone. */
const hearOf = (before: Kept | undefined, after: Kept | undefined, now: number): ReadonlyArray<string> => {
  const heard: Array<string> = []
  if (isKnown(after)) {
    if (isHeld(after) && !isKnown(before)) heard.push("held")
    if (!isHeld(after) && isKnown(before) && isHeld(before)) heard.push("released")
    if (!isHeld(after) && !(isKnown(before) && !isHeld(before))) heard.push("uploaded")
  }
  const isOpen = after?.file.status === "Uploading" || after?.file.status === "Uploaded"
  if (before !== undefined && isOpen && waitsForClaim(before) && !waitsForClaim(after)) heard.push("claimed")
  const code = failureOf(after)
  if (code !== undefined && failureOf(before) === undefined) heard.push(code === "REJECTED" ? "rejected" : "failed")
  const isEnded = after === undefined || after.file.status === "Deleting"
  if (isKnown(before) && isEnded) heard.push(isOverdue(before, now) ? "expired" : "deleted")
  return heard
}

/** The same of all files of `app`. */
const hearAll = (before: Model, after: Model): ReadonlyArray<string> => {
  const ofApp = [...before.files, ...after.files].filter(({ file }) => file.appId === "app")
  return [...new Set(ofApp.map(({ number }) => number))].flatMap((number) => {
    const former = before.files.find((kept) => kept.number === number)
    const kept = after.files.find((kept) => kept.number === number)
    return hearOf(former, kept, after.now).map((type) => `${type} ${(kept ?? former)!.file.key}`)
  })
}

/** An endpoint of `app` that hears of everything while a sequence is played. */
export const openEndpoint = async (catalog: Catalog, now: number) => {
  const url = "http://hook.example/"
  const opened = { id, appId: "app", url, events: fileEventTypes, createdAt: now, secret: "whsec_model" }
  expectSame(await catalog.createEndpoint(opened), "created", "an endpoint")
  let last = -1
  return {
    /** Whether it has heard exactly what has become of the files in the models, each the next of the one before it. */
    check: async (models: ReadonlyArray<Model>): Promise<void> => {
      const expected = models.slice(1).flatMap((after, i) => hearAll(models[i]!, after))
      const events = (await catalog.listEvents({ endpointId: id, limit: 50 })).filter(({ number }) => number > last)
      last = events[0]?.number ?? last
      const heard = events.map(({ type, file }) => `${type} ${file?.key}`)
      expectSame(heard.toSorted(), expected.toSorted(), "what an endpoint hears")
      const [from, to] = [models[0]!.now, models.at(-1)!.now]
      for (const { type, at } of events)
        expectThat(at >= from && at <= to, () => `${type} says ${at}, which is not between ${from} and ${to}`)
    },
    close: async (): Promise<void> => {
      await catalog.deleteEndpoint(id)
      while ((await catalog.pruneEvents({ before: 0, limit: 1000 })) > 0);
    },
  }
}
