import { envName } from "../protocol/names.ts"

/** Why what a URL leads to is of no use. */
export const toNoIngest = (ingestUrl: string): string =>
  `What answers at ${ingestUrl} is no ingest, or a newer one. Check ${envName("ingestUrl")} and ${envName("token")}.`
