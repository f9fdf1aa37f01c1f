import { vi } from "vitest"
import type * as signature from "../../src/protocol/signing/signature.ts"

/** The module of signatures as a platform without `node:crypto` loads it: on Web Crypto. */
export const loadWithoutNodeCrypto = async (): Promise<typeof signature> => {
  const { getBuiltinModule } = process
  vi.spyOn(process, "getBuiltinModule").mockImplementation((id: string) =>
    id === "node:crypto" ? undefined : getBuiltinModule(id),
  )
  vi.resetModules()
  try {
    return await import("../../src/protocol/signing/signature.ts")
  } finally {
    vi.restoreAllMocks()
    // The next test file loads it as it is here.
    vi.resetModules()
  }
}
