import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { describe, expect, it, onTestFinished, type TestContext } from "vitest"
import { createGrant, putRaw, randomContent, sign, token } from "../ingest/circle.ts"
import { makeFolder } from "../make-folder.ts"
import { skipLacking } from "../skip-lacking.ts"
import { bundleIngestServer } from "./ingest-process.ts"
import type { Step } from "./record-flushes.ts"

/** What an ingest did between the request and its 200. */
const recordUpload = async (
  size: number,
): Promise<{ readonly steps: ReadonlyArray<Step>; readonly folder: string }> => {
  const folder = await makeFolder()
  const startIngest = await bundleIngestServer(folder)
  const recorder = join(import.meta.dirname, "record-flushes.ts")
  const data = join(folder, "data")
  const ingest = startIngest({ folder: data, token, url: "http://ingest.test" }, ["--import", recorder])
  onTestFinished(ingest.kill)
  const steps: Array<Step> = []
  createInterface(ingest.child.stdout!).on("line", (line) => {
    if (line.startsWith("{")) steps.push(JSON.parse(line))
  })
  const port = await ingest.port
  expect(port, ingest.errors()).toBeTypeOf("number")
  const grant = createGrant({ size, type: "application/octet-stream" })
  const signed = await sign("http://ingest.test", grant)
  steps.length = 0
  const response = await putRaw(signed.replace("http://ingest.test", `http://127.0.0.1:${port}`), randomContent(size))
  expect(response.status).toBe(200)
  await ingest.stop()
  const answer = steps.findIndex(({ step }) => step === "answer")
  expect(steps[answer]).toEqual({ step: "answer", status: 200 })
  return { steps: steps.slice(0, answer), folder: data }
}

const lastIndex = (steps: ReadonlyArray<Step>, accepts: (step: Step) => boolean): number => steps.findLastIndex(accepts)

const isFlushOf = (path: string | RegExp) => (step: Step) =>
  step.step === "flush" && (typeof path === "string" ? step.path === path : path.test(step.path))

const skipWithoutProc = (test: TestContext) => {
  if (process.platform !== "linux") skipLacking(test, "what is flushed is read from /proc of Linux.")
}

describe("an ingest", () => {
  it("has flushed a small file before it answers", async (test) => {
    skipWithoutProc(test)
    const { steps, folder } = await recordUpload(1024)
    const commit = lastIndex(steps, ({ step }) => step === "commit")
    expect(commit).toBeGreaterThanOrEqual(0)
    // Bytes and record are one transaction: its log is flushed after the commit.
    expect(lastIndex(steps, isFlushOf(join(folder, "catalog.sqlite-wal")))).toBeGreaterThan(commit)
  })

  it("has flushed a large file and its name before it answers", async (test) => {
    skipWithoutProc(test)
    const { steps, folder } = await recordUpload(1_500_000)
    const blob = /\/files\/[0-9a-f]{2}\/[0-9a-f]{62}\.1$/
    const bytes = lastIndex(steps, isFlushOf(blob))
    expect(bytes).toBeGreaterThanOrEqual(0)
    const { path } = steps[bytes] as Step & { step: "flush" }
    const name = lastIndex(steps, isFlushOf(dirname(path)))
    const commit = lastIndex(steps, ({ step }) => step === "commit")
    expect(name).toBeGreaterThanOrEqual(0)
    expect(commit, "the record follows the bytes").toBeGreaterThan(Math.max(bytes, name))
    expect(lastIndex(steps, isFlushOf(join(folder, "catalog.sqlite-wal")))).toBeGreaterThan(commit)
  })
})
