import type { S3Client } from "./client/s3-client.ts"
import type { Held } from "./blobs-in-progress.ts"
import type { MultipartUpload } from "./journal/blob-journal.ts"

/** What begins an upload. */
interface Beginning extends Pick<Held, "enter" | "note" | "run"> {
  readonly client: S3Client
  readonly nameContent: (ref: string) => string
  /** What the content is called where it begins now. */
  readonly ref: string
  /** Ends the request where the blob is removed. */
  readonly gone: AbortSignal
}

/**
 * Begins the multipart upload of a blob, and notes it.
 *
 * @param directSize bytes of the blob, where clients may send its parts past this package
 */
export const beginUpload = async (
  { client, enter, note, run, nameContent, ref, gone }: Beginning,
  directSize?: number,
): Promise<MultipartUpload> => {
  await enter()
  const name = nameContent(ref)
  const id = await run(() => client.createMultipartUpload(name, { signal: gone }))
  const upload = { id, ref, ...(directSize !== undefined && { directSize }) }
  try {
    // Before the first part: what has bytes and no row would cost money until somebody looks.
    await note({ upload })
  } catch (cause) {
    await client.abortMultipartUpload(name, id).catch(() => {})
    throw cause
  }
  return upload
}
