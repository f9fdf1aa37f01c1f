import { keepDirection } from "./keep-direction.ts"

/** Why a file was rejected, from what the ingest says of it; empty where no reason was given. */
export const toReason = (detail: string): string => keepDirection(detail.replace(/^The file was rejected[.:] ?/, ""))
