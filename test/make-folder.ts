import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

/** A new folder of its own for the test that is running; it is removed when the test ends. */
export const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-test-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
