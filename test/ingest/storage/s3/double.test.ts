import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { checks, runCheck } from "./checks.ts"
import { type Double, startDouble } from "./start-double.ts"

describe("the double of S3", () => {
  let double: Double
  beforeAll(async () => {
    double = await startDouble()
  })
  afterAll(() => double.close())

  it.each(checks)("$name", async (check) => {
    await runCheck(check, double.settings)
    expect(double.uploads.size).toBe(0)
  })
})
