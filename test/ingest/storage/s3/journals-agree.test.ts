import { chmod, stat } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import type { BlobJournal } from "../../../../src/ingest/storage/s3/journal/blob-journal.ts"
import { createMemoryBlobJournal } from "../../../../src/ingest/storage/s3/journal/memory.ts"
import { createSqliteBlobJournal } from "../../../../src/ingest/storage/s3/journal/sqlite.ts"
import { makeFolder } from "../../../make-folder.ts"
import { createRandom } from "../random.ts"
import { createSteps, readAll } from "./journal-steps.ts"

describe("journals of a bucket", () => {
  it.each(Array.from({ length: 60 }, (_, index) => index + 1))(
    "one in memory does as one in SQLite does, which may be opened again at any time: %i",
    async (seed) => {
      const random = createRandom(seed)
      const nextStep = createSteps(random)
      const file = join(await makeFolder(), "journal.sqlite")
      const memory = createMemoryBlobJournal()
      let sqlite = createSqliteBlobJournal({ file })
      const taken: Array<string> = []
      for (let index = 0; index < 60; index++) {
        if (random() < 0.05) {
          await sqlite.close()
          sqlite = createSqliteBlobJournal({ file })
          taken.push("opened again")
        }
        const { says, run } = nextStep()
        taken.push(says)
        const take = async (journal: BlobJournal) => ({ answer: await run(journal), all: await readAll(journal) })
        expect(await take(sqlite), `seed ${seed}: ${taken.slice(-12).join(", ")}`).toEqual(await take(memory))
      }
      await sqlite.close()
    },
  )

  it("do the same with calls that were not waited for", async () => {
    const journals = [createMemoryBlobJournal(), createSqliteBlobJournal({ file: ":memory:" })]
    const taken = journals.map(async (journal) => [
      await Promise.all([
        journal.write("a", 1, { offset: 1 }),
        journal.claim("a", 1),
        journal.write("a", 1, { add: ['"1"'], offset: 5 }),
        journal.write("a", 2, { add: ['"2"'], offset: 10 }),
        journal.write("a", 1, { add: ['"3"'] }),
        journal.claim("a", 3),
        journal.forget("a", 2),
        journal.write("a", 3, { keep: 1, offset: 5 }),
      ]),
      await journal.read("a"),
    ])
    const [memory, sqlite] = await Promise.all(taken)
    expect(sqlite).toEqual(memory)
    expect(memory![0]).toMatchObject([
      false,
      { epoch: 1 },
      true,
      true,
      false,
      { epoch: 3, etags: ['"1"', '"2"'] },
      false,
      true,
    ])
    await Promise.all(journals.map((journal) => journal.close()))
  })
})

describe("a journal in SQLite", () => {
  it("is durable once it is a file, also where its process did not close it", async () => {
    const file = join(await makeFolder(), "deep", "journal.sqlite")
    const journal = createSqliteBlobJournal({ file })
    expect([journal.isDurable, createSqliteBlobJournal({ file: ":memory:" }).isDurable]).toEqual([true, false])
    expect(createMemoryBlobJournal().isDurable).toBe(false)
    const change = {
      upload: { id: "u", ref: "1" },
      add: ['"1"', '"2"'],
      offset: 10,
      tail: "a/t1.10",
      isFinishing: true,
      hash: new Uint8Array([1, 2, 3]),
    }
    await journal.noteRemoval({ key: "b", at: 5 })
    await journal.claim("a", 1)
    await journal.write("a", 1, change)
    const next = createSqliteBlobJournal({ file })
    const { add: etags, ...rest } = change
    expect(await next.read("a")).toEqual({ epoch: 1, etags, ...rest })
    expect(await next.listRemovals(5, 9)).toEqual([{ key: "b", at: 5 }])
    await next.claim("a", 2)
    expect(await journal.write("a", 1, { offset: 11 })).toBe(false)
    await journal.close()
    await journal.close()
    await next.close()
  })

  it("is for this user alone, with what SQLite keeps beside it", async () => {
    const file = join(await makeFolder(), "journal.sqlite")
    const journal = createSqliteBlobJournal({ file })
    await journal.claim("a", 1)
    const modes = ["", "-wal", "-shm"].map(async (end) => ((await stat(file + end)).mode & 0o777).toString(8))
    expect(await Promise.all(modes)).toEqual(["600", "600", "600"])
    await journal.close()
  })

  it("goes on with one of version 1", async () => {
    const file = join(await makeFolder(), "journal.sqlite")
    const old = new DatabaseSync(file)
    old.exec(`
      CREATE TABLE blobs (key TEXT PRIMARY KEY, epoch INTEGER NOT NULL, upload_id TEXT, upload_ref TEXT,
        stored INTEGER NOT NULL, tail TEXT, is_finishing INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE parts (key TEXT NOT NULL, number INTEGER NOT NULL, etag TEXT NOT NULL,
        PRIMARY KEY (key, number)) STRICT, WITHOUT ROWID;
      INSERT INTO blobs VALUES ('a', 3, 'u', '1', 8, 'tail', 0);
      INSERT INTO parts VALUES ('a', 1, '"1"');
      PRAGMA user_version = 1;`)
    old.close()
    await chmod(file, 0o600)
    for (let count = 0; count < 2; count++) {
      const journal = createSqliteBlobJournal({ file })
      expect(await journal.read("a")).toEqual({
        epoch: 3,
        upload: { id: "u", ref: "1" },
        etags: ['"1"'],
        offset: 8,
        tail: "tail",
        isFinishing: false,
        hash: null,
      })
      await journal.close()
    }
  })

  it("refuses one of a newer version, and leaves it as it is", async () => {
    const file = join(await makeFolder(), "journal.sqlite")
    await createSqliteBlobJournal({ file }).close()
    const change = new DatabaseSync(file)
    change.exec("PRAGMA user_version = 3")
    change.close()
    await chmod(file, 0o600)
    expect(() => createSqliteBlobJournal({ file })).toThrow(
      `The journal ${file} is of version 3, newer than this package knows (2).`,
    )
    const left = new DatabaseSync(file)
    expect(left.prepare("PRAGMA user_version").get()).toEqual({ user_version: 3 })
    left.close()
    // The connection that refused it is closed: its log went with it.
    await expect(stat(`${file}-wal`)).rejects.toThrow("ENOENT")
  })
})
