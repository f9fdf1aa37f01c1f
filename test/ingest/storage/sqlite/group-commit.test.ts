import { DatabaseSync } from "node:sqlite"
import { expect, it, onTestFinished, vi } from "vitest"
import { createGroupCommit } from "../../../../src/ingest/storage/sqlite/group-commit.ts"

const open = () => {
  const database = new DatabaseSync(":memory:")
  database.exec("CREATE TABLE steps (name TEXT UNIQUE)")
  let now = 0
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now)
  onTestFinished(() => {
    clock.mockRestore()
    if (database.isOpen) database.close()
  })
  let flushes = 0
  /** Until when another process has locked it; to find that out takes a second. */
  let lockedUntil = -Infinity
  const seen = new Proxy(database, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      if (name !== "prepare") return typeof value === "function" ? value.bind(target) : value
      return (sql: string) => {
        const statement = target.prepare(sql)
        if (!sql.startsWith("BEGIN")) return statement
        return {
          run: () => {
            if (now >= lockedUntil) return statement.run()
            now += 1000
            throw Object.assign(new Error("database is locked"), { errcode: 5 })
          },
        }
      }
    },
  })
  const { run } = createGroupCommit(seen, async () => {
    flushes++
  })
  const insert = database.prepare("INSERT INTO steps VALUES (?)")
  return {
    /** A write that takes so many ms. */
    write: (name: string, takes: number) =>
      run(() => {
        insert.run(name)
        now += takes
        return name
      }),
    list: () =>
      database
        .prepare("SELECT name FROM steps ORDER BY rowid")
        .all()
        .map((row) => row["name"]),
    countFlushes: () => flushes,
    /** Another process locks the database for so many ms. */
    lock: (ms: number) => {
      lockedUntil = now + ms
    },
    close: () => database.close(),
  }
}

it("many writes of one turn are written in groups, between which others are served, in their order", async () => {
  const { write, list, countFlushes } = open()
  const served: Array<number> = []
  let isOver = false
  const look = () => {
    if (isOver) return
    served.push(list().length)
    setImmediate(look)
  }
  onTestFinished(() => {
    isOver = true
  })
  setImmediate(look)
  const names = Array.from({ length: 12 }, (_, index) => `${index}`)
  expect(await Promise.all(names.map((name) => write(name, 15)))).toEqual(names)
  expect(list()).toEqual(names)
  expect(countFlushes()).toBe(6)
  expect(new Set(served.filter((count) => count > 0 && count < 12)).size).toBeGreaterThan(1)
})

it("quick writes of one turn share a group", async () => {
  const { write, countFlushes } = open()
  await Promise.all(Array.from({ length: 100 }, (_, index) => write(`${index}`, 0.1)))
  expect(countFlushes()).toBe(1)
})

it("a write that fails in a group fails alone, and those behind it are written", async () => {
  const { write, list } = open()
  const outcomes = await Promise.allSettled(["a", "b", "a", "c", "d", "e"].map((name) => write(name, 6)))
  expect(outcomes.map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
    "fulfilled",
  ])
  expect(list()).toEqual(["a", "b", "c", "d", "e"])
})

it("where no transaction can begin every write fails", async () => {
  const { write, close } = open()
  close()
  const outcomes = await Promise.allSettled(["a", "b", "c"].map((name) => write(name, 6)))
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"])
})

it("a write whose turn comes late waits for another process as long as any, however often others were locked out before", async () => {
  const { write, lock, list } = open()
  lock(1500)
  const names = Array.from({ length: 6 }, (_, index) => `${index}`)
  const writes = Promise.allSettled(
    names.map(async (name) => {
      await write(name, 3000)
      lock(1500)
    }),
  )
  expect((await writes).map(({ status }) => status)).toEqual(names.map(() => "fulfilled"))
  expect(list()).toEqual(names)
})

it("a write that another process locks out for too long fails", async () => {
  const { write, lock } = open()
  lock(Infinity)
  await expect(write("a", 1)).rejects.toThrow("locked")
})
