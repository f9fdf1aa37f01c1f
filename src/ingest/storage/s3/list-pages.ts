import type { S3Object } from "./client/entries.ts"
import { toStrangeAnswer } from "./client/judge-failure.ts"
import { mostPages } from "./client/lists.ts"
import type { S3Client } from "./client/s3-client.ts"

/** Objects of a page that count as few: S3 lists a thousand at a time, and fewer now and then. */
const few = 100

/**
 * All objects of a prefix, a page at a time, in the order of their names.
 *
 * Fails: as the client does, and where a thousand pages had few objects and the list still goes on: one that is made up has no end.
 */
export async function* listPages(
  client: Pick<S3Client, "listObjects">,
  prefix: string,
): AsyncGenerator<ReadonlyArray<S3Object>> {
  let after: string | undefined
  for (let short = 0; ;) {
    const { objects, next } = await client.listObjects(prefix, { after })
    yield objects
    if (next === undefined) return
    if (objects.length < few && ++short === mostPages) {
      throw toStrangeAnswer("ListObjectsV2", 200, "its list does not end")
    }
    after = next
  }
}
