import type { BlobJournal, JournalChange } from "../../../../src/ingest/storage/s3/journal/blob-journal.ts"

/** One call of a journal, with its arguments fixed. */
interface Step {
  readonly says: string
  readonly run: (journal: BlobJournal) => Promise<unknown>
}

const keys = ["a", "b", "ключ 😀"]

/** What may be asked of a journal next. */
export const createSteps = (random: () => number) => {
  const pick = <A>(values: ReadonlyArray<A>): A => values[Math.floor(random() * values.length)]!
  let parts = 0

  /** A member that is there half the time, undefined now and then. */
  const maybe = <Name extends keyof JournalChange>(name: Name, values: ReadonlyArray<JournalChange[Name]>) =>
    pick([true, false]) ? { [name]: pick([...values, undefined]) } : {}

  const createChange = (): JournalChange => ({
    ...maybe("upload", [null, { id: `upload-${pick([1, 2])}`, ref: String(pick([1, 2, 3])) }]),
    ...maybe("keep", [0, 1, 2, 100]),
    ...maybe("add", [[], [`"etag-${++parts}"`], [`"etag-${++parts}"`, `"etag-${++parts}"`]]),
    ...maybe("offset", [0, 5, 2 ** 43]),
    ...maybe("tail", [null, "a/t1.5", ""]),
    ...maybe("isFinishing", [true, false]),
    ...maybe("hash", [null, new Uint8Array([1, 2]), new Uint8Array([3])]),
  })

  return (): Step => {
    const key = pick(keys)
    const epoch = pick([0, 1, 1, 2, 2, 3, 2 ** 40])
    const name = pick(["write", "write", "write", "claim", "claim", "forget", "forgetAll", "removal"] as const)
    const [at, limit] = [pick([1, 2, 2, 3]), pick([1, 10])]
    if (name === "removal") {
      return pick([
        { says: `note ${key} ${at}`, run: (journal: BlobJournal) => journal.noteRemoval({ key, at }) },
        { says: `list ${at}`, run: (journal: BlobJournal) => journal.listRemovals(at, limit) },
        { says: `forget removal ${key}`, run: (journal: BlobJournal) => journal.forgetRemoval(key) },
      ])
    }
    if (name === "claim") return { says: `claim ${key} ${epoch}`, run: (journal) => journal.claim(key, epoch) }
    if (name === "forget") return { says: `forget ${key} ${epoch}`, run: (journal) => journal.forget(key, epoch) }
    if (name === "forgetAll") return { says: `forget ${key}`, run: (journal) => journal.forget(key) }
    const change = createChange()
    return {
      says: `write ${key} ${epoch} ${JSON.stringify(change)}`,
      run: (journal) => journal.write(key, epoch, change),
    }
  }
}

/** All that a journal has. */
export const readAll = async (journal: BlobJournal) => ({
  blobs: await Promise.all(keys.map((key) => journal.read(key))),
  removals: await journal.listRemovals(9, 9),
})
