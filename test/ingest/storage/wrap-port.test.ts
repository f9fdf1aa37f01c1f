import { expect, it } from "vitest"
import { wrapPort } from "../../../src/ingest/storage/wrap-port.ts"

class Driver {
  readonly abilities = { isDurable: true }
  readonly #stored = new Map<string, number>()
  async write(key: string, value: number): Promise<number> {
    this.#stored.set(key, value)
    return this.#stored.size
  }
  async fail(): Promise<void> {
    throw new Error("no")
  }
}

it("runs every method of a class on the object itself, private fields included, and keeps the rest", async () => {
  const seen: Array<string> = []
  const wrapped = wrapPort(new Driver(), (method, run) => {
    seen.push(method)
    return run()
  })
  expect(await wrapped.write("a", 1)).toBe(1)
  expect(await wrapped.write("b", 1)).toBe(2)
  await expect(wrapped.fail()).rejects.toThrow("no")
  expect(wrapped.abilities).toEqual({ isDurable: true })
  expect(seen).toEqual(["write", "write", "fail"])
})
