import { createWebhookSecret, type EndpointRecord, mostActiveSecrets } from "../../ingest.ts"
import { CommandFailure } from "../command-failure.ts"
import type { Deployment } from "../deployment/deployment.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { requireEndpoint, showSecrets, toEndpointJson, unknownEndpoint } from "./known-endpoint.ts"

const activeOf = ({ secrets }: EndpointRecord) => secrets.filter(({ revokedAt }) => revokedAt === null)

const idsOf = (secrets: ReadonlyArray<{ readonly id: string }>): string => secrets.map(({ id }) => id).join(" and ")

/** `sluice endpoints rotate`. */
export const runEndpointsRotate = async (
  deployment: Deployment,
  endpointId: string,
  { json }: { readonly json?: true },
): Promise<void> => {
  const secret = createWebhookSecret()
  const endpoint = await withDeployment(deployment, "changes", async ({ catalog }) => {
    const answer = await catalog.addSecret({ endpointId, secret, now: Date.now() })
    if (answer === "unknownEndpoint") throw unknownEndpoint(endpointId)
    const endpoint = await requireEndpoint(catalog, endpointId)
    if (answer === "added") return endpoint
    throw new CommandFailure(
      `${endpointId} has ${mostActiveSecrets} active secrets, as many as it may: ${showSecrets(activeOf(endpoint), " and ")}. ` +
        `Revoke the one that its receiver no longer verifies with: \`sluice endpoints revoke ${endpointId} <secret>\`.`,
    )
  })
  const former = activeOf(endpoint).find((each) => each.secret !== secret)!
  if (json) {
    console.log(JSON.stringify({ ...toEndpointJson(endpoint), secret }))
    return
  }
  console.log(
    `Every event to ${endpointId} is signed with this secret as well, which is shown only here:\n\n${secret}\n`,
  )
  console.log(`Once its receiver verifies with it: sluice endpoints revoke ${endpointId} ${former.id}`)
}

/** `sluice endpoints revoke`. Revoking a secret again changes nothing. */
export const runEndpointsRevoke = async (
  deployment: Deployment,
  endpointId: string,
  id: string,
  { json }: { readonly json?: true },
): Promise<void> => {
  const endpoint = await withDeployment(deployment, "changes", async ({ catalog }) => {
    const before = await requireEndpoint(catalog, endpointId)
    const found = before.secrets.find((secret) => secret.id === id)
    if (found === undefined) {
      throw new CommandFailure(
        `${endpointId} has no secret ${id}. Its active secrets: ${showSecrets(activeOf(before), " and ")}.`,
      )
    }
    if (found.revokedAt !== null) return before
    if (!(await catalog.revokeSecret({ endpointId, id, now: Date.now() }))) {
      throw new CommandFailure(
        `${id} is the only active secret of ${endpointId}, whose events nothing else can sign. ` +
          `Make another first: \`sluice endpoints rotate ${endpointId}\`.`,
      )
    }
    return requireEndpoint(catalog, endpointId)
  })
  if (json) console.log(JSON.stringify(toEndpointJson(endpoint)))
  else console.log(`${id} is revoked. Events to ${endpointId} are signed with ${idsOf(activeOf(endpoint))} alone.`)
}
