import { styleText } from "node:util"
import { BlobStoreError, type Catalog, type FileRecord, type FileVerdict, verifyFile } from "../../ingest.ts"
import { formatByteSize } from "../../protocol.ts"
import { CommandFailure, exitCodes } from "../command-failure.ts"
import { forEachAtOnce } from "../for-each-at-once.ts"
import type { Deployment } from "../deployment/deployment.ts"
import { describeStoreError } from "../deployment/describe-store-error.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { toPrintable } from "../terminal/printable.ts"
import { createProgress } from "../terminal/progress.ts"
import { printTable } from "../terminal/table.ts"
import { listStored } from "./list-stored.ts"

/** A file whose bytes differ from what the catalog says. */
interface Damaged {
  readonly key: string
  readonly name: string
  readonly reason: Exclude<FileVerdict["kind"], "intact">
}

const reasons: Record<Damaged["reason"], string> = {
  missing: "its bytes are gone",
  shorter: "bytes are missing at its end",
  longer: "there are more bytes than were uploaded",
  changed: "its bytes have changed",
}

/** Files that are read at the same time: a bucket is slow to begin an answer. */
const atOnce = 4

const totalOf = async (catalog: Catalog): Promise<number> => {
  let total = 0
  for await (const { size } of listStored(catalog)) total += size
  return total
}

/** One line for a store that fails, which says nothing of the files. */
const explain = (error: unknown, { key, name }: FileRecord): unknown =>
  BlobStoreError.is(error)
    ? new CommandFailure(
        `The verification stopped at the file ${key} (${JSON.stringify(name)}): the store failed: ${describeStoreError(error)}. Nothing is known of the files after it.`,
      )
    : error

/** `sluice files verify`. */
export const runFilesVerify = async (deployment: Deployment, { json }: { readonly json?: true }): Promise<void> => {
  const found: Array<{ readonly place: number; readonly damage: Damaged }> = []
  let [checked, bytes, withoutHash] = [0, 0, 0]
  await withDeployment(deployment, "reads", async ({ catalog, openStore }) => {
    const store = await openStore()
    const progress = createProgress("Verifying", await totalOf(catalog))
    try {
      await forEachAtOnce(listStored(catalog), atOnce, async (file, place) => {
        const verdict = await verifyFile({ store, catalog }, file, progress.advance).catch((error: unknown) => {
          throw explain(error, file)
        })
        if (verdict.kind !== "intact") {
          // An ingest may be running: a file that was deleted meanwhile is not damaged.
          if ((await catalog.get(file.key))?.file.status !== "Uploaded") return
          found.push({ place, damage: { key: file.key, name: file.name, reason: verdict.kind } })
        }
        checked++
        bytes += file.size
        if (file.fileHash === "") withoutHash++
      })
    } finally {
      progress.end()
    }
  })
  const damaged = found.toSorted((a, b) => a.place - b.place).map(({ damage }) => damage)
  if (damaged.length > 0) process.exitCode = exitCodes.failed
  if (json) {
    console.log(JSON.stringify({ checked, bytes, damaged }))
    return
  }
  if (damaged.length > 0) {
    printTable(
      [{ title: "KEY" }, { title: "NAME" }, { title: "DAMAGE" }],
      damaged.map(({ key, name, reason }) => [key, toPrintable(name), styleText("red", reasons[reason])]),
    )
    console.log(`\nDamaged: ${damaged.length} of ${checked}. Restore them from a backup, or upload them again.`)
    return
  }
  console.log(
    `${styleText("green", "All is well.")} Verified ${checked} ${checked === 1 ? "file" : "files"}, ${formatByteSize(bytes)}.`,
  )
  if (withoutHash > 0) {
    const [have, sizes] = withoutHash === 1 ? ["has", "its size was"] : ["have", "their sizes were"]
    console.log(`${withoutHash} of them ${have} no SHA-256: only ${sizes} compared.`)
  }
}
