/** One way to break the store of docs/conformance.md. */
export interface Breakage {
  readonly name: string
  /** A part of its source, and what stands in its place. */
  readonly from: string
  readonly to: string
  /** The case that is about it; others may fail, too. */
  readonly caughtBy: string
}

export const breakages: ReadonlyArray<Breakage> = [
  {
    name: "forgets what came before a body broke off",
    from: "brokenOff = { cause };",
    to: "brokenOff = { cause }; end = offset; await file.truncate(offset);",
    caughtBy: "stores what came before the body broke off, and says how much",
  },
  {
    name: "rejects when a body breaks off",
    from: "brokenOff = { cause };",
    to: "throw cause;",
    caughtBy: "takes any number of interruptions, in batches larger than its own, of a small file",
  },
  {
    name: "fences nobody off",
    from: "if (epoch < state.epoch)",
    to: "if (false)",
    caughtBy: "refuses everything of an older epoch once it has seen a newer one",
  },
  {
    name: "fences nobody off who has begun",
    from: "admit(key, epoch).then(() => file.appendFile(chunk))",
    to: "file.appendFile(chunk)",
    caughtBy: "fences a writer off in the middle of its body",
  },
  {
    name: "takes bytes anywhere",
    from: "if (isFinished || size !== offset)",
    to: "if (isFinished)",
    caughtBy: "refuses to append anywhere but at the end",
  },
  {
    name: "goes on after it was finished",
    from: "await keep(key, { epoch, isFinished: true })",
    to: "",
    caughtBy: "refuses to finish with another size, or to go on after finishing",
  },
  {
    name: "finishes with any size",
    from: "if ((await findSize(key)) !== size)",
    to: "if (false)",
    caughtBy: "refuses to finish with another size, or to go on after finishing",
  },
  {
    name: "reads to the end",
    from: "{ start, end }))",
    to: "{ start }))",
    caughtBy: "reads any range, within a small blob and across the pieces of a large one",
  },
  {
    name: "has nothing of a blob that is not there",
    from: "found === undefined || found < size",
    to: "(found ?? 0) < size",
    caughtBy: "reads nothing of a blob that is there, and finds none that is not",
  },
  {
    name: "hashes but the beginning",
    from: "of createReadStream(pathOf(key)))",
    to: "of createReadStream(pathOf(key), { end: 9 }))",
    caughtBy: "gives the digest of a blob, after an interruption, and again",
  },
  {
    name: "gives digests that nobody wants",
    from: 'isHashed ? await digest(key) : ""',
    to: "await digest(key)",
    caughtBy: "gives no digest that was not asked for, and also one that was asked for late",
  },
  {
    name: "cannot be probed twice",
    from: 'await writeFile(join(folder, "probe"), "")',
    to: 'await mkdir(join(folder, "probe"))',
    caughtBy: "says that bytes can be stored, as often as it is asked",
  },
  {
    name: "confuses keys that differ in the case of a letter",
    from: ".update(key)",
    to: ".update(key.toLowerCase())",
    caughtBy: "keeps keys apart that differ in the case of a letter or are long",
  },
  {
    name: "cuts long keys off",
    from: ".update(key)",
    to: ".update(key.slice(0, 255))",
    caughtBy: "keeps keys apart that differ in the case of a letter or are long",
  },
  {
    name: "remembers what it has removed",
    from: "[pathOf(key), `${pathOf(key)}.json`]",
    to: "[pathOf(key)]",
    caughtBy: "removes blobs finished, unfinished and unknown, and can take the key again",
  },
  {
    name: "fails with errors of its own",
    from: 'new BlobStoreError("missing",',
    to: "new Error(",
    caughtBy: "says what is missing",
  },
  {
    name: "begins anew when it is opened",
    from: "await mkdir(folder,",
    to: "await rm(folder, { recursive: true, force: true }); await mkdir(folder,",
    caughtBy: "has everything after it was opened anew",
  },
  {
    name: "does not say what it can do",
    from: "readsUnfinished: true",
    to: "readsUnfinished: undefined",
    caughtBy: "says what it can do",
  },
]

/** Runs the suite on the modules it is given, with a runner of one line, and prints which cases failed of each. */
export const program = `
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { testBlobStore } from "sluice/conformance"

const tryStore = async (file) => {
  const { createMyStore } = await import(resolve(file))
  let folder
  const cases = []
  testBlobStore({ test: (title, run) => cases.push([title.split(": ").at(-1), run]) }, file, {
    create: async () => {
      folder = await mkdtemp(join(tmpdir(), "broken-store-"))
      return createMyStore(folder)
    },
    reopen: () => createMyStore(folder),
    cleanUp: () => rm(folder, { recursive: true }),
  })
  const failed = []
  for (const [title, run] of cases) await run().catch(() => failed.push(title))
  return [file, failed]
}
console.log(JSON.stringify(Object.fromEntries(await Promise.all(process.argv.slice(2).map(tryStore)))))
`
