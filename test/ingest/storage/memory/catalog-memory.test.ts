import { describe, test } from "vitest"
import { testCatalog } from "../../../../src/conformance.ts"
import { createMemoryCatalog } from "../../../../src/ingest.ts"

testCatalog({ describe, test }, "memory", {
  create: async () => createMemoryCatalog(),
  count: (catalog) => (catalog as ReturnType<typeof createMemoryCatalog>).countEntries(),
})
