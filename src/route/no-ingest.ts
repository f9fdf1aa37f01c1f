import { envName } from "../protocol/names.ts"

/** Why the server at a URL cannot be used. */
export const toNoIngest = (ingestUrl: string): string =>
  `The server at ${ingestUrl} is not a Sluice ingest, or it is a newer version. Check ${envName("ingestUrl")} and ${envName("token")}.`
