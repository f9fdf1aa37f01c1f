import { randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { DeliveryAttempt } from "../../ingest.ts"
import { exitCodes } from "../command-failure.ts"
import type { Deployment } from "../deployment/deployment.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { toPrintable } from "../terminal/printable.ts"
import { requireEndpoint } from "./known-endpoint.ts"

/** How long the first attempt is waited for, ms: as long as an ingest may take to look, and an endpoint to answer. */
const patience = 40_000

/** `sluice endpoints test`. */
export const runEndpointsTest = async (
  deployment: Deployment,
  endpointId: string,
  { json }: { readonly json?: true },
): Promise<void> => {
  const id = `evt_${randomBytes(16).toString("hex")}`
  const { url, isRunning, attempt } = await withDeployment(deployment, "changes", async (open) => {
    const { catalog } = open
    const { url } = await requireEndpoint(catalog, endpointId)
    await catalog.addTestEvent({ id, endpointId, now: await open.now() })
    const isRunning = await open.isRunning()
    let attempt: DeliveryAttempt | undefined
    const until = Date.now() + (isRunning ? patience : 0)
    while (attempt === undefined && Date.now() < until) {
      await sleep(100)
      attempt = (await catalog.listAttempts(id))[0]
    }
    return { url, isRunning, attempt }
  })
  const isDelivered = attempt !== undefined && attempt.error === null
  if (!isDelivered) process.exitCode = exitCodes.failed
  if (json) {
    console.log(JSON.stringify({ id, endpointId, isDelivered, attempt: attempt ?? null }))
    return
  }
  if (attempt === undefined) {
    console.log(
      isRunning
        ? `${id} was not sent within ${patience / 1000} s. The log of the ingest says why: sluice endpoints events ${id}`
        : `No ingest runs on ${deployment.describe()}. It sends ${id} when it starts: sluice endpoints events ${id}`,
    )
    return
  }
  const said = attempt.error ?? `It answered ${attempt.status} after ${attempt.latency} ms.`
  console.log(`${isDelivered ? "Delivered" : "Not delivered"} to ${toPrintable(url)}. ${toPrintable(said)}`)
}
