import { afterAll, beforeAll, describe, it } from "vitest"
import { skipLacking } from "../../../skip-lacking.ts"
import { checks, runCheck } from "./checks.ts"
import { type Missing, type Radosgw, startRadosgw } from "./start-radosgw.ts"

describe("Ceph's radosgw", () => {
  let server: Radosgw | Missing
  beforeAll(async () => {
    server = await startRadosgw()
  })
  afterAll(async () => {
    if ("stop" in server) await server.stop()
  })

  for (const check of checks) {
    it(check.name, async (context) => {
      if ("missing" in server) return skipLacking(context, server.missing)
      return runCheck(check, server.settings)
    })
  }
})
