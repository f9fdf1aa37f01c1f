/*
 * Finishes a file while somebody has it open as virus scanners do, so that it cannot be renamed: `SQLite` opens files like
 * that. The argument says for how long, ms. Prints what became of it.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { createDiskBlobStore } from "../../../../src/ingest.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-"))
const store = createDiskBlobStore({ folder })
const body = async function* () {
  yield new TextEncoder().encode("hello")
}
await store.append("key", { epoch: 1, offset: 0, size: 5, body: body() })
const file = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith(".1"))!
const scanner = new DatabaseSync(join(folder, file), { readOnly: true })
const free = setTimeout(() => scanner.close(), Number(process.argv[2]))
const outcome = await store.finish("key", { epoch: 1, size: 5 }).then(
  () => "finished",
  ({ cause }: Error) => `failed: ${(cause as NodeJS.ErrnoException).code}`,
)
console.log(`${outcome}, ${scanner.isOpen ? "while" : "after"} it was open`)
clearTimeout(free)
if (scanner.isOpen) scanner.close()
rmSync(folder, { recursive: true })
process.exit()
