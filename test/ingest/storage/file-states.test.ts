import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { createMemoryCatalog } from "../../../src/ingest.ts"
import { isReadable } from "../../../src/ingest/storage/readable.ts"
import { catalogs } from "../circle.ts"
import { createFile } from "./file-states/play.ts"
import { drawStates, statesPage, statesPicture, tellStates } from "./file-states/show-states.ts"
import { type Operation, type Situation, type State, states, transitions } from "./file-states/states.ts"

/** Where each situation belongs: a type of its own, so that none can be forgotten. */
const situations: Readonly<Record<Situation, State>> = {
  nothing: "nothing",
  "nothing, with claim": "nothing",
  "nothing, with hold": "nothing",
  "nothing, with both": "nothing",
  Uploading: "Uploading",
  "Uploading, with claim": "Uploading",
  "Uploading, claimed": "Uploading",
  "Uploading, with hold": "Uploading",
  "Uploading, with both": "Uploading",
  Held: "Held",
  "Held, with claim": "Held",
  "Held, claimed": "Held",
  Pending: "Pending",
  "Pending, released": "Pending",
  Uploaded: "Uploaded",
  "Uploaded, claimed": "Uploaded",
  "Uploaded, released": "Uploaded",
  Deleting: "Deleting",
  Failed: "Failed",
  "Failed, told and reclaimed": "Failed",
  gone: "gone",
}

const everySituation = Object.keys(situations) as ReadonlyArray<Situation>
const everyOperation = createFile(createMemoryCatalog(), undefined).operations

/** What a catalog says of a file in a state. */
const toSeen = (state: State): State | "not there" => (state === "nothing" || state === "gone" ? "not there" : state)

/** Where an operation leads: by the table, or nowhere. */
const findNext = (situation: Situation, operation: Operation): State => {
  const found = transitions.filter(({ by }) => by.some(([from, what]) => from === situation && what === operation))
  expect(found.length, `transitions of ${situation} by ${operation}`).toBeLessThan(2)
  return found[0]?.to ?? situations[situation]
}

it("each transition of the table begins in the state of its situations, and no two lead from the same to the same", () => {
  const wrong = transitions.flatMap(({ from, by }) => by.filter(([situation]) => situations[situation] !== from))
  expect(wrong).toEqual([])
  const ways = transitions.map(({ from, to }) => `${from} → ${to}`)
  expect(ways.length).toBe(new Set(ways).size)
})

it("docs/stored-files.md has the table, and docs/file-states.svg is its picture", async () => {
  const [page, picture] = [await tellStates(), drawStates()]
  const isCurrent = (path: string, text: string) => readFileSync(path, "utf8") === text
  if (!isCurrent(statesPage, page)) await expect(page).toMatchFileSnapshot(statesPage)
  await expect(picture).toMatchFileSnapshot(statesPicture)
})

describe.each(catalogs)("a file (%s)", (_, create) => {
  it.each(everyOperation)("goes where the table says, whatever its state: %s", async (operation) => {
    for (const situation of everySituation) {
      const catalog = create()
      const file = createFile(catalog, operation)
      await file.enter(situation)
      expect(await file.find(), situation).toBe(toSeen(situations[situation]))
      await file.act(operation)
      expect(await file.find(), `${situation}, ${operation}`).toBe(toSeen(findNext(situation, operation)))
      await catalog.close()
    }
  })

  it.each(everySituation)("is read, counted and told of as the table says: %s", async (situation) => {
    const catalog = create()
    const state = situations[situation]
    await createFile(catalog, undefined).enter(situation)
    const facts = state === "nothing" || state === "gone" ? undefined : states[state]
    const upload = await catalog.get("key")
    expect(isReadable(upload, 2200)).toBe(facts?.isReadable ?? false)
    const found = await catalog.findByPath({ appId: "app", path: "a/b", now: 2200 })
    expect(found !== null).toBe(facts?.isFoundByPath ?? false)
    expect(upload?.delivery?.hook ?? null).toBe(facts?.hook ?? null)
    const { files, announcedBytes } = await catalog.usage("app")
    expect([files, announcedBytes]).toEqual(
      facts?.counted === "stored" ? [1, 0] : facts?.counted === "announced" ? [0, 5] : [0, 0],
    )
    await catalog.close()
  })
})
