import { createHash } from "node:crypto"
import { describeDataFolder } from "../../src/cli/deployment/deployment.ts"
import {
  type BlobStore,
  type Catalog,
  type FileLabels,
  createDiskBlobStore,
  createSqliteCatalog,
} from "../../src/ingest.ts"
import { toBlobName } from "../../src/ingest/storage/blob-name.ts"
import type { UploadGrant } from "../../src/protocol.ts"

/** A data folder as an ingest has it open. */
export interface OpenData {
  readonly path: string
  readonly catalog: Catalog
  readonly store: BlobStore
}

/** Makes a data folder, or opens it beside others. */
export const openData = (path: string): OpenData => {
  const folder = describeDataFolder(path)
  return {
    path: folder.path,
    catalog: createSqliteCatalog({ file: folder.catalog }),
    store: createDiskBlobStore({ folder: folder.blobs }),
  }
}

async function* once(bytes: Uint8Array) {
  if (bytes.length > 0) yield bytes
}

const grantOf = (key: string, grant: Partial<UploadGrant>): UploadGrant => ({
  key,
  appId: "app",
  expires: 4_000_000,
  name: `${key}.txt`,
  size: 5,
  type: "text/plain",
  slug: "avatar",
  ...grant,
})

/** Begins an upload at 1,000,000 ms, and leaves it so. */
export const beginFile = async (
  { catalog }: OpenData,
  key: string,
  grant: Partial<UploadGrant> = {},
  labels?: FileLabels,
) => {
  const origin = "http://ingest.example"
  const begun = await catalog.begin({ grant: grantOf(key, grant), labels, origin, now: 1_000_000 })
  if (begun.kind !== "granted") throw new Error(begun.kind)
  return begun
}

/** Registers files at 1,000,500 ms. */
export const registerFiles = ({ catalog }: OpenData, fileKeys: ReadonlyArray<string>, callbackUrl: string) =>
  catalog.register({
    appId: "app",
    fileKeys,
    metadata: "null",
    callbackUrl,
    callbackSlug: "avatar",
    awaitServerData: true,
    isDev: false,
    trace: null,
    now: 1_000_500,
    createEventId: () => `evt_${fileKeys[0]}`,
  })

/** Stores a file, all of it, at 1,002,000 ms; its event, if one is due, is `evt_<key>`. */
export const storeFile = async (
  data: OpenData,
  key: string,
  grant: Partial<UploadGrant> = {},
  content = "hello",
  labels?: FileLabels,
  isHashed = true,
) => {
  const bytes = new TextEncoder().encode(content)
  const { epoch, id } = await beginFile(data, key, { size: bytes.length, ...grant }, labels)
  const blob = toBlobName({ key, id })
  await data.store.append(blob, { epoch, offset: 0, size: bytes.length, body: once(bytes) })
  await data.store.finish(blob, { epoch, size: bytes.length })
  const fileHash = isHashed ? createHash("sha256").update(bytes).digest("hex") : ""
  const eventId = `evt_${key}`
  await data.catalog.commit({ key, epoch, fileHash, blobRef: null, now: 1_002_000, eventId, claimedUntil: null })
}

/** Makes one attempt at the event of a file, which ends so. */
export const attemptDelivery = async (
  { catalog }: OpenData,
  outcome: "delivered" | "dead" | { readonly retryAt: number },
  answer: { readonly status: number | null; readonly answer: string | null },
): Promise<void> => {
  const now = 2_000_000
  const [due] = await catalog.claimDue({ channel: "callback", now, claimedUntil: now + 1, limit: 1 })
  await catalog.recordAttempt({
    deliveryId: due!.id,
    attempt: due!.attempt,
    startedAt: now,
    latency: 250,
    error: outcome === "delivered" ? null : "It failed.",
    outcome,
    ...answer,
  })
}
