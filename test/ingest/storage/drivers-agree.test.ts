import { it } from "vitest"
import { createSqliteCatalog } from "../../../src/ingest.ts"
import { walkBeside } from "./walk-beside.ts"

it.each(Array.from({ length: 60 }, (_, index) => index + 1))(
  "a catalog in memory does as one in SQLite does, whatever happens to them: %i",
  (seed) => walkBeside(createSqliteCatalog({ file: ":memory:" }), seed),
)
