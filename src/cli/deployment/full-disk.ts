import { dirname } from "node:path"
import { CatalogError } from "../../ingest.ts"
import { CommandFailure } from "../command-failure.ts"

/** The failure for a database that cannot be opened because its disk is full; undefined where it is not. */
export const findFullDisk = (error: unknown, file: string): CommandFailure | undefined =>
  CatalogError.is(error) && error.reason === "full"
    ? new CommandFailure(
        `${file} cannot be opened: its disk is full, or can hold no more files (inodes). Remove something else from that disk, or make it larger, then start again; leave everything in ${dirname(file)} as it is.`,
      )
    : undefined
