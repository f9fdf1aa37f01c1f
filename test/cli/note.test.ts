import { execFileSync } from "node:child_process"
import { lstat, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { readNote, writeNote } from "../../src/cli/serve/note.ts"
import { makeFolder } from "../make-folder.ts"

it("is a line in a file for this user alone", async () => {
  const path = join(await makeFolder(), "port")
  expect(await readNote(path)).toBe("")
  await writeNote(path, "4790")
  await writeNote(path, "4791")
  expect(await readNote(path)).toBe("4791")
  expect((await lstat(path)).mode & 0o777).toBe(0o600)
})

it("is not read through a link, and replaces the link and not what it leads to", async () => {
  const folder = await makeFolder()
  const [path, other] = [join(folder, "port"), join(folder, "precious")]
  await writeFile(other, "4790")
  await symlink(other, path)
  expect(await readNote(path)).toBe("")
  await writeNote(path, "4791")
  expect([await readFile(other, "utf8"), await readNote(path)]).toEqual(["4790", "4791"])
})

it("is nothing where a pipe, which nobody writes to, or a file of any size is in its place", async () => {
  const folder = await makeFolder()
  execFileSync("mkfifo", [join(folder, "pipe")])
  await writeFile(join(folder, "large"), "4790".repeat(10_000))
  expect([await readNote(join(folder, "pipe")), await readNote(join(folder, "large"))]).toEqual(["", ""])
})
