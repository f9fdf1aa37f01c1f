import { readdir } from "node:fs/promises"
import { expect, it } from "vitest"
import { putRaw } from "../ingest/circle.ts"
import { runCommand } from "../cli/run-command.ts"
import { preload, startRealIngest } from "./running-ingest.ts"

/** Threads that cannot be ended: then the blob store, which hashes in one, cannot be closed. */
const breakThreads = preload(`
  import { Worker } from "node:worker_threads"
  Worker.prototype.terminate = () => Promise.reject(new Error("the thread is stuck"))
`)

it("an ingest whose blob store cannot be closed still closes its catalog, says so and ends with an error", async () => {
  const ingest = await startRealIngest([], { execArgv: breakThreads })
  const { signed } = await ingest.sign({ size: 200_000 })
  expect((await putRaw(signed, new Uint8Array(200_000))).status).toBe(200)
  ingest.child.kill("SIGTERM")
  const { code, stdout, stderr } = await ingest.ended
  expect(code).toBe(1)
  expect(stdout + stderr).toContain("the thread is stuck")
  expect(stdout).toContain("The ingest has stopped.")
  // SQLite takes its log away when the last connection is closed, and only then.
  expect((await readdir(ingest.data)).filter((name) => name.startsWith("catalog"))).toEqual(["catalog.sqlite"])
  const { stdout: listed } = await runCommand(["files", "--json", "--data", ingest.data])
  expect(JSON.parse(listed)).toMatchObject({ files: [{ status: "Uploaded" }] })
})
