import { afterEach, expect, it, vi } from "vitest"
import { explainUnreachable } from "../../src/cli/doctor/unreachable.ts"

afterEach(() => vi.unstubAllEnvs())

const refused = new Error("fetch failed", { cause: { code: "ECONNREFUSED" } })

it("names the proxy and NO_PROXY where Node goes through one, and only there", () => {
  vi.stubEnv("http_proxy", undefined)
  vi.stubEnv("HTTP_PROXY", "http://user:secret@127.0.0.1:9")
  vi.stubEnv("NODE_USE_ENV_PROXY", undefined)
  expect(explainUnreachable("http://localhost:4790", refused)).toEqual({ reason: "nothing listens there" })
  vi.stubEnv("NODE_USE_ENV_PROXY", "1")
  const { reason, advice } = explainUnreachable("http://localhost:4790", refused)
  expect(reason).toContain("the proxy of HTTP_PROXY")
  expect(advice).toContain("NO_PROXY=localhost,127.0.0.1")
  expect(reason + advice).not.toContain("secret")
})
