import { lstatSync } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { writeToken } from "../../src/cli/deployment/data-folder.ts"
import { describeDataFolder } from "../../src/cli/deployment/deployment.ts"
import { createToken } from "../../src/cli/create-token.ts"
import { makeFolder } from "../make-folder.ts"

/** For each flush of a file or folder of this process: whether a path was there by then. */
const watchFlushes = async (path: string): Promise<ReadonlyArray<boolean>> => {
  const handle = await open(import.meta.filename, "r")
  const type = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  const flushed: Array<boolean> = []
  const { sync } = type
  const spy = vi.spyOn(type, "sync").mockImplementation(async function (this: FileHandle) {
    flushed.push(lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    return sync.call(this)
  })
  onTestFinished(() => spy.mockRestore())
  return flushed
}

// Without it the files of a folder are nobody's: the power may fail as soon as the first of them is confirmed.
test("the token of a data folder is flushed before it has its name, and then its name is", async () => {
  const folder = describeDataFolder(await makeFolder())
  const flushed = await watchFlushes(join(folder.path, "token"))
  await writeToken(folder, createToken({ region: "local", ingestUrl: "http://127.0.0.1:9000" }).token)
  expect(flushed).toEqual([false, true])
})
