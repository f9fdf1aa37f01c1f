import { UploadError } from "../protocol/errors/upload-error.ts"
import type { FilePage, FileStatus, ListedFile, ListFilesRequest } from "../protocol/rest-messages.ts"
import type { CallOptions } from "./call-ingest.ts"

/** Which files are listed, and where the list begins: by default at the newest file. */
export interface ListFilesOptions extends CallOptions {
  /** Files on a page, 1–1000; by default 500. */
  readonly limit?: number | undefined
  /** `nextCursor` of the previous page; every page costs the same. Cannot be combined with `offset`. */
  readonly cursor?: string | undefined
  /** How many files to skip; costs as much as reading them. */
  readonly offset?: number | undefined
  /** Only files with this status. */
  readonly status?: FileStatus | undefined
  /** Only this owner's. */
  readonly owner?: string | undefined
  /** Only files whose path begins with it, in the order of their paths. Cannot be combined with `offset`. */
  readonly prefix?: string | undefined
  /**
   * Only what is right in the folder `prefix` (`"albums/"`, or the top without one): its files, and in `folders` of a page
   * the folders in it. `limit` counts both. Cannot be combined with `offset`.
   */
  readonly folders?: boolean | undefined
}

/**
 * The files of the app, newest first. No request is made before it is used: `await` gets the first page, `for await`
 * the files of all pages, `pages()` the pages. Later pages are only requested when they are needed.
 */
export interface FileListing extends Promise<FilePage>, AsyncIterable<ListedFile> {
  /** The pages, one request each. */
  readonly pages: () => AsyncGenerator<FilePage, void, void>
}

const goesInCircles = (): UploadError =>
  new UploadError({
    code: "INVALID_CONFIG",
    message:
      "The ingest answers with the same pages of files again and again. Check its URL, and what stands in front of it.",
  })

/** @param ask requests one page */
export const createFileListing = (
  ask: (request: ListFilesRequest) => Promise<FilePage>,
  { limit, cursor, offset, status, owner, prefix, folders }: ListFilesOptions,
): FileListing => {
  const every: ListFilesRequest = {
    ...(limit !== undefined && { limit }),
    ...(status !== undefined && { status }),
    ...(owner !== undefined && { owner }),
    ...(prefix !== undefined && { prefix }),
    ...(folders !== undefined && { folders }),
  }
  const begin: ListFilesRequest = {
    ...every,
    ...(cursor !== undefined && { cursor }),
    ...(offset !== undefined && { offset }),
  }
  let first: Promise<FilePage> | undefined
  const askFirst = () => (first ??= ask(begin))

  async function* pages() {
    let page = await ask(begin)
    yield page
    const asked = new Set<string>()
    while (page.hasMore && page.nextCursor !== null) {
      asked.add(page.nextCursor)
      page = await ask({ ...every, cursor: page.nextCursor })
      if (page.nextCursor !== null && asked.has(page.nextCursor)) throw goesInCircles()
      yield page
    }
  }
  async function* files() {
    for await (const page of pages()) yield* page.files
  }

  return {
    // oxlint-disable-next-line unicorn/no-thenable -- it is meant to be awaited
    then: (onPage, onError) => askFirst().then(onPage, onError),
    catch: (onError) => askFirst().catch(onError),
    finally: (onEnd) => askFirst().finally(onEnd),
    pages,
    [Symbol.asyncIterator]: files,
    [Symbol.toStringTag]: "FileListing",
  }
}
