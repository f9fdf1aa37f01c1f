import { BlobStoreError } from "../blob-store.ts"
import type { Whole } from "./blobs-in-progress.ts"
import type { S3Object } from "./client/entries.ts"
import type { S3Client } from "./client/s3-client.ts"
import { listPages } from "./list-pages.ts"
import type { MultipartUpload } from "./journal/blob-journal.ts"
import { type ObjectNames, readObjectName } from "./object-names.ts"
import { toPartSize } from "./part-size.ts"

/** How many times parts of an upload are looked for after it was aborted: one that was under way may still arrive. */
const abortsAtMost = 5

/** Whether an object is a blob of one part: that never had a multipart upload. */
const isOfOnePart = ({ key, size }: S3Object): boolean =>
  readObjectName(key)?.isTail === false && size <= toPartSize(size)

/** What a bucket has of a blob, finished or not. */
export const createBucketObjects = (client: S3Client, names: ObjectNames) => {
  const listAll = async (key: string): Promise<ReadonlyArray<S3Object>> => {
    const found: Array<S3Object> = []
    for await (const page of listPages(client, names.all(key))) found.push(...page)
    return found
  }

  const abort = async (name: string, id: string): Promise<void> => {
    for (let count = 0; count < abortsAtMost; count++) {
      await client.abortMultipartUpload(name, id)
      if ((await client.listParts(name, id)) === undefined) return
    }
    throw new BlobStoreError("io", "The bucket still takes parts of an upload that was aborted.")
  }

  const remove = async (key: string, isMeant: (name: string) => boolean = () => true): Promise<void> =>
    client.deleteObjects((await listAll(key)).map(({ key: name }) => name).filter(isMeant))

  return {
    /** The object that a blob has become: the one of the newest epoch. @param least the oldest epoch that counts */
    findWhole: async (key: string, least = 0): Promise<Whole | undefined> => {
      let newest = least - 1
      let found: Whole | undefined
      for (const { key: name, size } of await listAll(key)) {
        const of = readObjectName(name)
        if (of === undefined || of.isTail || of.epoch <= newest) continue
        newest = of.epoch
        found = { ref: String(of.epoch), size }
      }
      return found
    },

    /** Removes those of its objects that are meant. */
    remove,

    /** Aborts those of its multipart uploads that are meant, by the names of what they would become. */
    abortUploads: async (key: string, isMeant: (name: string) => boolean): Promise<void> => {
      for (const each of await client.listMultipartUploads(names.all(key))) {
        if (isMeant(each.key)) await abort(each.key, each.uploadId)
      }
    },

    /** Removes all of it; resolves with the names of its objects. @param upload the one that is known of */
    removeAll: async (key: string, upload: MultipartUpload | null): Promise<ReadonlyArray<string>> => {
      const listed = await listAll(key)
      if (upload !== null) await abort(names.content(key, upload.ref), upload.id)
      // One may have been begun that nobody could note: the process ended, or the answer was lost and it was asked for again.
      if (!listed.some(isOfOnePart)) {
        for (const each of await client.listMultipartUploads(names.all(key))) await abort(each.key, each.uploadId)
      }
      await remove(key)
      return listed.map(({ key: name }) => name)
    },
  }
}
