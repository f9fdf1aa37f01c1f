/*
 * An ingest in a process of its own with settings that the command has no flags for, or under other limits of Node. It
 * starts several times as fast as the command; see `running-ingest.ts` for that.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, onTestFinished } from "vitest"
import { token } from "../ingest/circle.ts"
import { bundleIngestServer, type IngestProcess, type StartIngest } from "../reliability/ingest-process.ts"
import type { IngestServerOptions } from "../reliability/ingest-server.ts"

/** An ingest of the app of `circle.ts`, with open metrics. */
export interface BundledIngest extends IngestProcess {
  readonly url: string
}

/** Bundles the server once for the tests of a file. Each start has a data folder of its own and ends with its test. */
export const useBundledIngest = () => {
  let folder: string
  let start: StartIngest
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sluice-bundled-"))
    start = await bundleIngestServer(folder)
  })
  afterAll(() => rm(folder, { recursive: true }))
  return async (
    options: Partial<IngestServerOptions> = {},
    execArgv: ReadonlyArray<string> = [],
  ): Promise<BundledIngest> => {
    const data = await mkdtemp(join(folder, "data-"))
    const ingest = start({ folder: data, token, metrics: "open", logLevel: "None", ...options }, execArgv)
    onTestFinished(ingest.kill)
    return { ...ingest, url: `http://127.0.0.1:${await ingest.port}` }
  }
}
