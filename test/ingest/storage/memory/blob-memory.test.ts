import { describe, test } from "vitest"
import { testBlobStore } from "../../../../src/conformance.ts"
import { createMemoryBlobStore } from "../../../../src/ingest.ts"

testBlobStore({ describe, test }, "memory", { create: async () => createMemoryBlobStore() })
