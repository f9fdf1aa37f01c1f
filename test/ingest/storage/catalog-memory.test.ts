import { createMemoryCatalog } from "../../../src/ingest.ts"
import { testCatalog } from "../../conformance/catalog.ts"

testCatalog("memory", { create: async () => createMemoryCatalog() })
