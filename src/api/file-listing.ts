import type { FilePage, FileStatus, ListedFile, ListFilesRequest } from "../protocol/rest-messages.ts"
import type { CallOptions } from "./call-ingest.ts"

/** Which files are listed, and where the list begins: at the newest file unless given. */
export interface ListFilesOptions extends CallOptions {
  /** Files on a page, 1–1000; 500 unless given. */
  readonly limit?: number | undefined
  /** `nextCursor` of the page before; the same cost for any page. Not together with `offset`. */
  readonly cursor?: string | undefined
  /** How many files to leave out; costs what reading them would. */
  readonly offset?: number | undefined
  /** Only these. */
  readonly status?: FileStatus | undefined
}

/**
 * The files of the app, newest first. Nothing is asked before it is used: `await` gives the first page, `for await` the
 * files of all pages, `pages()` the pages. Of what follows a page, only that is asked for which is looked at.
 */
export interface FileListing extends Promise<FilePage>, AsyncIterable<ListedFile> {
  /** The pages, one request each. */
  readonly pages: () => AsyncGenerator<FilePage, void, void>
}

/** @param ask gets one page */
export const createFileListing = (
  ask: (request: ListFilesRequest) => Promise<FilePage>,
  { limit, cursor, offset, status }: ListFilesOptions,
): FileListing => {
  const every: ListFilesRequest = { ...(limit !== undefined && { limit }), ...(status !== undefined && { status }) }
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
    while (page.hasMore && page.nextCursor !== null) {
      page = await ask({ ...every, cursor: page.nextCursor })
      yield page
    }
  }
  async function* files() {
    for await (const page of pages()) yield* page.files
  }

  return {
    // oxlint-disable-next-line unicorn/no-thenable -- to be awaited is what it is for
    then: (onPage, onError) => askFirst().then(onPage, onError),
    catch: (onError) => askFirst().catch(onError),
    finally: (onEnd) => askFirst().finally(onEnd),
    pages,
    [Symbol.asyncIterator]: files,
    [Symbol.toStringTag]: "FileListing",
  }
}
