import type { Catalog, EndpointRecord } from "../../ingest.ts"
import { CommandFailure } from "../command-failure.ts"
import { formatMoment } from "../terminal/moment.ts"

/** The failure where there is no such endpoint. */
export const unknownEndpoint = (id: string): CommandFailure =>
  new CommandFailure(`There is no endpoint ${JSON.stringify(id)}. \`sluice endpoints\` lists those there are.`)

/** Fails: with a {@link CommandFailure} where there is none. */
export const requireEndpoint = async (catalog: Catalog, id: string): Promise<EndpointRecord> => {
  const found = (await catalog.listEndpoints()).find((endpoint) => endpoint.id === id)
  if (found === undefined) throw unknownEndpoint(id)
  return found
}

/** An endpoint as `--json` prints it; never a secret. Times in ms since the epoch. Source: docs/cli.md. */
export const toEndpointJson = ({ secrets, ...endpoint }: EndpointRecord) => ({
  ...endpoint,
  secrets: secrets.map(({ id, createdAt, revokedAt }) => ({ id, createdAt, revokedAt })),
})

/** The ids of secrets, each with when it was made: `sec_0123456789ab (2026-11-25 10:59:56)`. */
export const showSecrets = (secrets: EndpointRecord["secrets"], separator: string): string =>
  secrets.map(({ id, createdAt }) => `${id} (${formatMoment(createdAt)})`).join(separator)
