import { envName } from "../protocol/names.ts"

/** Why what a URL leads to is of no use. */
export const toNoIngest = (ingestUrl: string): string =>
  `The server at ${ingestUrl} is not a Sluice ingest, or it is a newer version. Check ${envName("ingestUrl")} and ${envName("token")}.`
