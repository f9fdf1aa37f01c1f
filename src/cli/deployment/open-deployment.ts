import type { BlobStore, Catalog } from "../../ingest.ts"
import type { LogFormat } from "../../protocol.ts"
import type { Deployment } from "./deployment.ts"
import type { Reads } from "./open-bucket.ts"

/** A deployment whose catalog is open. */
export type DeploymentCatalog = Deployment & { readonly catalog: Catalog }

/** A deployment that a command works on. What is open of it is closed when the work is done. */
export type OpenDeployment = DeploymentCatalog & {
  /**
   * Opens the store, for the command to read.
   *
   * Fails: with a `CommandFailure` where it cannot be opened, or where the files are in another one than was said.
   */
  readonly openStore: () => Promise<BlobStore>
  /** The apps of which the catalog keeps anything: the ingest's own is among them once it has been used. */
  readonly listAppIds: () => Promise<ReadonlyArray<string>>
  /** ms since the epoch, by the clock that its ingests go by: of the database, where there is one. */
  readonly now: () => Promise<number>
  /** Whether an ingest runs on it; undefined where nobody knows. */
  readonly isRunning: () => Promise<boolean | undefined>
}

/** A deployment that the ingest of this process runs on. Whoever opens a part of it closes it. */
export type OwnDeployment = Deployment & {
  /** Notes for the user on who could read it. */
  readonly notes: ReadonlyArray<string>
  /**
   * Opens the catalog, creates it where it is missing, and migrates it to the schema of this version.
   *
   * @param largestContent size of the largest file that it keeps itself, bytes; undefined: as its kind does
   */
  readonly openCatalog: (largestContent: number | undefined) => Promise<Catalog>
  /** Whether another process runs on it, too. */
  readonly hasOthers: () => Promise<boolean>
  /** Fails: with the reason of the signal, too, where that ends it. */
  readonly openStore: (reads: Reads) => Promise<BlobStore>
}

/** How an ingest is started. */
export interface OwnManner {
  readonly logFormat: LogFormat
  /** Ends the wait for a bucket, and for a database. */
  readonly signal?: AbortSignal | undefined
}
