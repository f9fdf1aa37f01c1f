import type { Catalog } from "../../ingest.ts"
import { exitCodes } from "../command-failure.ts"
import type { DataFolder } from "../data-folder.ts"
import { findUpload } from "./find-upload.ts"
import { withCatalog } from "../open-catalog.ts"
import { requireDelivery } from "./run-deliveries.ts"

/** Events that go into one transaction. */
const batch = 500

/** The ids of all dead events, oldest last, a page at a time; one that is redelivered meanwhile does not shift a page. */
async function* listDead(catalog: Catalog): AsyncGenerator<ReadonlyArray<string>> {
  for (let before: number | undefined; ;) {
    const page = await catalog.listDeliveries({ status: "dead", before, limit: batch })
    if (page.length === 0) return
    yield page.map(({ delivery }) => delivery.id)
    before = page.at(-1)!.file.id
  }
}

async function* listNamed(
  catalog: Catalog,
  folder: DataFolder,
  names: ReadonlyArray<string>,
): AsyncGenerator<ReadonlyArray<string>> {
  const found: Array<string> = []
  for (const name of names) found.push(requireDelivery(await findUpload(catalog, folder, name)).delivery.id)
  yield found
}

/** `sluice deliveries redeliver`. All that are named are found before the first of them is made due. */
export const runRedeliver = async (
  data: string,
  names: ReadonlyArray<string>,
  { dead, json }: { readonly dead?: true; readonly json?: true },
): Promise<void> => {
  const due: Array<string> = []
  const refused: Array<string> = []
  await withCatalog(data, async (catalog, folder) => {
    const now = Date.now()
    for await (const ids of dead ? listDead(catalog) : listNamed(catalog, folder, names)) {
      await Promise.all(
        ids.map(async (id) => {
          if (await catalog.redeliver({ id, now })) due.push(id)
          else refused.push(id)
        }),
      )
    }
  })
  // A dead event nobody could acknowledge stays dead; only one that was asked for by name is worth a failure.
  if (refused.length > 0 && !dead) process.exitCode = exitCodes.failed
  if (json) {
    console.log(JSON.stringify({ due, refused }))
    return
  }
  console.log(`${due.length} ${due.length === 1 ? "event is" : "events are"} due now.`)
  if (due.length > 0) console.log("A running ingest sends them within seconds, another when it starts.")
  for (const id of refused) {
    console.error(`${id} stays as it is: an attempt is under way, or its file was replaced during development.`)
  }
}
