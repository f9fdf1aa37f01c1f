import { join } from "node:path"
import { startRadosgw } from "../../test/ingest/storage/s3/start-radosgw.ts"
import type { S3Settings } from "../../src/ingest/storage/s3/client/s3-settings.ts"
import { type Start, startNode, startSluice, startTus } from "../ingest/servers.ts"

/** A bucket with the keys of it. */
interface Bucket {
  readonly settings: S3Settings & { readonly credentials: { accessKeyId: string; secretAccessKey: string } }
  /** Of the process that has it, where that is one. */
  readonly pids: ReadonlyArray<number>
  readonly stop: () => Promise<void>
}

const startDouble = async (): Promise<Bucket> => {
  const { line, pid, stop } = await startNode([join(import.meta.dirname, "serve-double.ts")])
  return { settings: JSON.parse(line) as Bucket["settings"], pids: [pid], stop }
}

/** A new one for each case: what is deleted in Ceph stays in its memory for a while. */
const startCeph = async (): Promise<Bucket> => {
  const server = await startRadosgw()
  if ("missing" in server) throw new Error(server.missing)
  return { settings: server.settings, pids: [], stop: server.stop }
}

const startBucket = (): Promise<Bucket> => (process.env["BENCH_BUCKET"] === "radosgw" ? startCeph() : startDouble())

/** Starts a server over a bucket of its own. */
const overBucket =
  (start: (bucket: Bucket["settings"]) => Start): Start =>
  async (folder) => {
    const bucket = await startBucket()
    const server = await start(bucket.settings)(folder)
    const stop = async (): Promise<void> => {
      await server.stop()
      await bucket.stop()
    }
    return { ...server, beside: bucket.pids, stop }
  }

/** `sluice ingest` over a bucket, as {@link startSluice} has it; even small files go there. */
export const startSluiceOver = ({ endpoint, region, bucket, credentials }: Bucket["settings"]): Start => {
  process.env["SLUICE_S3_ACCESS_KEY_ID"] = credentials.accessKeyId
  process.env["SLUICE_S3_SECRET_ACCESS_KEY"] = credentials.secretAccessKey
  const flags = ["--s3-bucket", bucket, "--s3-endpoint", endpoint, "--s3-region", region]
  return startSluice(...flags, "--largest-content", "0")
}

/** `@tus/server` with its store for S3. */
export const startTusOver = (settings: Bucket["settings"]): Start =>
  startTus(join(import.meta.dirname, "serve-tus-s3.ts"), JSON.stringify(settings))

/** Name in the tables → how it is started. */
export const s3Servers: Readonly<Record<string, Start>> = {
  "sluice over S3": overBucket(startSluiceOver),
  "@tus/server with @tus/s3-store": overBucket(startTusOver),
}
