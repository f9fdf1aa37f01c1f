import type { Catalog, UploadWithDelivery } from "../../ingest.ts"
import { CommandFailure, exitCodes } from "../command-failure.ts"
import type { Deployment } from "../deployment/deployment.ts"
import { findUpload } from "./find-upload.ts"
import type { DeploymentCatalog } from "../deployment/open-deployment.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { requireCallbackUrl } from "./require-callback-url.ts"
import { requireDelivery } from "./run-deliveries.ts"
import { toPrintable } from "../terminal/printable.ts"

/** How many events go into one transaction. */
const batch = 500

type Pages = AsyncGenerator<ReadonlyArray<UploadWithDelivery>>

/** All dead events, oldest last, a page at a time; one that is redelivered meanwhile does not shift a page. */
async function* listDead(catalog: Catalog): Pages {
  for (let before: number | undefined; ;) {
    const page = await catalog.listDeliveries({ status: "dead", before, limit: batch })
    if (page.length === 0) return
    yield page
    before = page.at(-1)!.file.id
  }
}

async function* listNamed(open: DeploymentCatalog, names: ReadonlyArray<string>, to: string | undefined): Pages {
  const found: Array<UploadWithDelivery> = []
  for (const name of names) {
    const upload = requireDelivery(await findUpload(open, name))
    if (to !== undefined && upload.registration?.isDev === true) {
      throw new CommandFailure(
        `${upload.delivery.id} belongs to a development stream: its app fetches it with its next upload, whatever its callback URL. ` +
          "Nothing was changed.",
      )
    }
    found.push(upload)
  }
  yield found
}

/** `sluice deliveries redeliver`. All named events are found before the first of them is made due. */
export const runRedeliver = async (
  deployment: Deployment,
  names: ReadonlyArray<string>,
  { dead, to, json }: { readonly dead?: true; readonly to?: string; readonly json?: true },
): Promise<void> => {
  const due: Array<string> = []
  const refused: Array<string> = []
  const former = new Set<string>()
  await withDeployment(deployment, "changes", async (open) => {
    const { catalog } = open
    const list = () => (dead ? listDead(catalog) : listNamed(open, names, to))
    const appId = to === undefined ? undefined : await requireCallbackUrl(open, list(), to)
    // Another app's may have been given up since.
    const isMeant = ({ file, registration }: UploadWithDelivery) =>
      to === undefined || (file.appId === appId && registration?.isDev === false)
    const now = await open.now()
    for await (const uploads of list()) {
      await Promise.all(
        uploads.filter(isMeant).map(async ({ delivery: { id }, registration }) => {
          if (!(await catalog.redeliver({ id, now, callbackUrl: to }))) return refused.push(id)
          if (registration !== null) former.add(registration.callbackUrl)
          return due.push(id)
        }),
      )
    }
  })
  // A dead event that cannot be acknowledged stays dead; only one that was named is worth a failure.
  if (refused.length > 0 && !dead) process.exitCode = exitCodes.failed
  if (json) {
    console.log(JSON.stringify({ due, refused, callbackUrl: to ?? null }))
    return
  }
  console.log(`${due.length} ${due.length === 1 ? "event is" : "events are"} due now.`)
  if (to !== undefined && due.length > 0) {
    console.log(`From now on ${due.length === 1 ? "it goes" : "they go"} to ${toPrintable(to)}`)
    for (const url of former) if (url !== to) console.log(`instead of ${toPrintable(url)}`)
  }
  if (due.length > 0) console.log("A running ingest sends them within seconds, a stopped one when it starts.")
  for (const id of refused) {
    console.error(`${id} stays as it is: an attempt is under way, or its file was replaced during development.`)
  }
}
