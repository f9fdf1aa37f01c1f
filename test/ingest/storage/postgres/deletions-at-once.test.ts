import { expect, it, onTestFinished } from "vitest"
import { createPostgresCatalog } from "../../../../src/postgres.ts"
import { startPostgres } from "../../../start-postgres.ts"

it("a deletion that is asked for again at the same time is answered each time", { timeout: 60_000 }, async () => {
  const postgres = await startPostgres()
  onTestFinished(postgres.stop)
  const pool = postgres.createPool({ max: 8 })
  const catalog = createPostgresCatalog({ pool })
  onTestFinished(async () => {
    await catalog.close()
    await pool.end()
  })
  const ask = () => catalog.deleteMatching({ appId: "app-1", selection: { owner: "somebody" }, now: 1, limit: 10 })
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all(Array.from({ length: 8 }, ask))
    expect(answers.map(({ kind }) => kind)).toEqual(answers.map(() => "deleted"))
  }
  const listed = await catalog.listDeletions("app-1", 10)
  expect(listed).toMatchObject([{ owner: "somebody", deletedCount: 0 }])
})
