import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createReadBudget, pieces, type ReadShare } from "../../../src/ingest/storage/read-budget.ts"

const mebibyte = 1024 ** 2
const limit = 32 * mebibyte

/** A reader that has taken 16 MiB. */
const prove = (share: ReadShare): ReadShare => {
  for (let taken = 0; taken < 16 * mebibyte;) {
    const room = share.take(mebibyte)
    share.give(room, 1)
    taken += room
  }
  return share
}

describe("the budget of readers", () => {
  it("gives small pieces first, and large ones to who has taken what it was sent", () => {
    const budget = createReadBudget(limit)
    expect(budget.join().take(mebibyte)).toBe(pieces.first)
    const proven = prove(budget.join())
    expect([proven.take(mebibyte), proven.takeAhead(mebibyte)]).toEqual([pieces.largest, pieces.largest])
    expect(proven.take(100)).toBe(100)
    proven.give(pieces.largest, 5000)
    expect(proven.take(mebibyte)).toBe(pieces.first)
  })

  it("has room for those that take what they are sent, however many take nothing", () => {
    const budget = createReadBudget(limit)
    const silent = Array.from({ length: 2000 }, () => budget.join())
    for (const share of silent) {
      expect(share.take(mebibyte)).toBeGreaterThanOrEqual(pieces.smallest)
      share.takeAhead(mebibyte)
    }
    expect(budget.held()).toBeLessThanOrEqual(limit / 4 + 2000 * pieces.smallest)
    expect(prove(budget.join()).take(mebibyte)).toBe(pieces.largest)
    for (const share of silent) share.leave()
    expect(budget.held()).toBeLessThanOrEqual(pieces.largest)
  })

  it("is never exceeded but by the smallest pieces, and is whole again when all have left", () => {
    const step = fc.tuple(fc.nat(19), fc.constantFrom("take", "ahead", "give", "leave"), fc.nat(2 * mebibyte))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const budget = createReadBudget(limit)
        const shares = Array.from({ length: 20 }, () => budget.join())
        const held = shares.map((): Array<number> => [])
        for (const [who, what, wanted] of steps) {
          const [share, own] = [shares[who]!, held[who]!]
          if (what === "take") own.push(share.take(wanted))
          else if (what === "ahead") own.push(share.takeAhead(wanted))
          else if (what === "give") share.give(own.pop() ?? 0, wanted % 2000)
          else {
            share.leave()
            own.length = 0
          }
          const all = held.flat()
          expect(budget.held()).toBe(all.reduce((sum, bytes) => sum + bytes, 0))
          const shared = all.filter((bytes) => bytes > pieces.smallest)
          expect(shared.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(limit)
        }
        for (const share of shares) share.leave()
        expect(budget.held()).toBe(0)
      }),
    )
  })
})
