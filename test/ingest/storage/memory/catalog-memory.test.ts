import { createMemoryCatalog } from "../../../../src/ingest.ts"
import { testCatalog } from "../../../conformance/catalog.ts"

testCatalog("memory", {
  create: async () => createMemoryCatalog(),
  count: (catalog) => (catalog as ReturnType<typeof createMemoryCatalog>).countEntries(),
})
