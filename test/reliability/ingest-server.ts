/*
 * A whole ingest on disk and SQLite as one process, to be killed. Its one argument is JSON: `folder`, and those options
 * of the ingest that have other values in a test. Prints its port when it listens; SIGTERM stops it cleanly.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { toNodeListener } from "../../adapters/node.ts"
import { createDiskBlobStore, createIngest, createSqliteCatalog, type IngestOptions } from "../../src/ingest.ts"

/** What {@link startIngestProcess} hands over. */
export interface IngestServerOptions extends Omit<IngestOptions, "store" | "catalog" | "fetch"> {
  readonly folder: string
}

const { folder, ...options }: IngestServerOptions = JSON.parse(process.argv[2]!)

const ingest = createIngest({
  ...options,
  store: createDiskBlobStore({ folder: join(folder, "files") }),
  catalog: createSqliteCatalog({ file: join(folder, "catalog.sqlite") }),
})
const server = createServer({ requestTimeout: 0 }, toNodeListener(ingest.fetch))
process.once("SIGTERM", () => {
  server.close(() => void ingest.close())
  server.closeIdleConnections()
})
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
