import { createMemoryBlobStore } from "../../../../src/ingest.ts"
import { testBlobStore } from "../../../conformance/blob-store.ts"

testBlobStore("memory", { create: async () => createMemoryBlobStore() })
