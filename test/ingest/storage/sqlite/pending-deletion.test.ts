import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, it, onTestFinished } from "vitest"
import { createSqliteCatalog } from "../../../../src/ingest.ts"
import { createFileListing } from "../../../../src/ingest/storage/sql/list-files.ts"
import { createStepReader } from "../../../../src/ingest/storage/sqlite/step-reader.ts"
import { makeFolder } from "../../../make-folder.ts"
import { compareSteps, insertFiles, mixed, openDeletions } from "../list-in-steps.ts"

/** A catalog with so many files of the app `app`, whose rows are written as `columns` says of each number `i`. */
const fill = async (count: number, columns: Readonly<Record<string, string>>) => {
  const file = join(await makeFolder(), "catalog.sqlite")
  const catalog = createSqliteCatalog({ file })
  onTestFinished(() => catalog.close())
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  database.exec(`
    WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${count})
    ${insertFiles(columns)} FROM numbers`)
  return { catalog, database }
}

/** How often others had their turn meanwhile. */
const countTurns = async (work: () => Promise<unknown>): Promise<number> => {
  let turns = 0
  let isDone = false
  const take = () => {
    if (isDone) return
    turns++
    setImmediate(take)
  }
  setImmediate(take)
  await work()
  isDone = true
  return turns
}

it("serves others while it passes by the files of a deletion that has not reached them", async () => {
  const { catalog } = await fill(20_000, {
    owner: "CASE WHEN i < 3 THEN 'v' ELSE 'u' END",
    path: "CASE WHEN i < 3 THEN 'q/' ELSE 'p/' END || i",
    slug: "NULL",
    hold: "CASE WHEN i % 2 = 0 AND i > 100 THEN 1 END",
  })
  await catalog.deleteMatching({ appId: "app", selection: { owner: "u" }, limit: 1, now: 2 })
  const page = { appId: "app", limit: 10 }
  const listings = [
    async () =>
      expect((await catalog.list({ ...page, status: "Uploaded" })).map(({ key }) => key)).toEqual(["k2", "k1"]),
    async () => expect(await catalog.list({ ...page, owner: "u", status: "Uploaded" })).toEqual([]),
    async () =>
      expect((await catalog.listByPath({ ...page, prefix: "", status: "Uploaded" })).map(({ key }) => key)).toEqual([
        "k1",
        "k2",
      ]),
    async () => expect(await catalog.listByPath({ ...page, owner: "u", prefix: "p/", status: "Uploaded" })).toEqual([]),
    async () => expect(await catalog.listHeld({ limit: 10, except: new Set() })).toEqual([]),
  ]
  for (const list of listings) expect(await countTurns(list)).toBeGreaterThanOrEqual(4)
})

it("serves others while it skips very many files", async () => {
  const { catalog } = await fill(20_000, {})
  const page = { appId: "app", limit: 2, offset: 19_000 }
  let keys: ReadonlyArray<string> = []
  const turns = await countTurns(async () => (keys = (await catalog.list(page)).map(({ key }) => key)))
  expect(keys).toEqual(["k1000", "k999"])
  expect(turns).toBeGreaterThanOrEqual(9)
})

it("neither lists nor counts the files that it skips, one by one, where no deletion may mean some of them", async () => {
  const { database } = await fill(2000, {})
  const reader = createStepReader(database)
  const asked: Array<string> = []
  const { list } = createFileListing({
    ...reader,
    longestStep: 100,
    all: (sql, values) => {
      asked.push(sql)
      return reader.all(sql, values)
    },
  })
  const found = await list({ appId: "app", limit: 2, offset: 1850 })
  expect(found.map(({ key }) => key)).toEqual(["k150", "k149"])
  const [isOpen, ...others] = asked
  expect(isOpen).toContain("deletions")
  // 18 steps that are passed, and one in which the page is.
  expect(others.length).toBe(20)
  expect(new Set(others).size).toBe(2)
})

it("lists in steps what it lists in one", async () => {
  const { database } = await fill(120, mixed)
  const except = { sql: "f.id NOT IN (SELECT value FROM json_each(:except))", toValue: JSON.stringify }
  await compareSteps(createStepReader(database), except, [1, 7])
  database.exec(openDeletions)
  await compareSteps(createStepReader(database), except, [1, 7])
})
