import { styleText } from "node:util"
import { describe, expect, it, vi } from "vitest"
import { formatMoment, formatSpan } from "../../src/cli/terminal/moment.ts"
import { toPage } from "../../src/cli/inspect/page-options.ts"
import { toPrintable, toShortPrintable } from "../../src/cli/terminal/printable.ts"
import { createProgress } from "../../src/cli/terminal/progress.ts"
import { printTable } from "../../src/cli/terminal/table.ts"

describe("what the command prints", () => {
  it("keeps text of others from moving the cursor, ending the line or turning its direction", () => {
    expect(toPrintable("a\u001b]0;x\u0007\r\n\u009b\u202Eb\u2028é")).toBe(
      String.raw`a\u{1b}]0;x\u{7}\u{d}\n\u{9b}\u{202e}b\u{2028}é`,
    )
    expect(toShortPrintable("👍👍👍👍", 3)).toBe("👍👍…")
    expect(toShortPrintable("👍👍👍", 3)).toBe("👍👍👍")
  })

  it("lines columns up whatever their colours", () => {
    const lines: Array<string> = []
    const log = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line))
    const green = styleText("green", "ok", { validateStream: false })
    printTable(
      [{ title: "A" }, { title: "SIZE", align: "right" }, { title: "C" }],
      [
        [green, "1B", "x"],
        ["longer", "1000MB", ""],
      ],
    )
    log.mockRestore()
    expect(lines[0]).toContain("A         SIZE  C")
    expect(lines.slice(1)).toEqual([`${green}          1B  x`, "longer  1000MB"])
  })

  it.each([
    [0, "0 ms"],
    [999, "999 ms"],
    [1000, "1 s"],
    [90_000, "1.5 min"],
    [86_400_000, "1 d"],
  ])("writes %d ms as %s", (ms, text) => {
    expect(formatSpan(ms)).toBe(text)
  })

  it("writes moments in the time zone of whoever reads", () => {
    const moment = new Date(2026, 10, 21, 6, 42, 10)
    expect(formatMoment(moment.getTime())).toBe("2026-11-21 06:42:10")
  })

  it("names the next page only where there is one", () => {
    const idOf = (id: number) => id
    expect(toPage([9, 8, 7], 2, idOf)).toEqual({ rows: [9, 8], nextCursor: "8" })
    expect(toPage([9, 8], 2, idOf)).toEqual({ rows: [9, 8], nextCursor: null })
    expect(toPage([], 2, idOf)).toEqual({ rows: [], nextCursor: null })
  })

  it("draws a bar on a terminal, takes it away, and is silent elsewhere", () => {
    const draw = (isTTY: boolean) => {
      let text = ""
      const progress = createProgress("Verifying", 200, { isTTY, write: (part: string) => ((text += part), true) })
      progress.advance(50)
      progress.end()
      return text
    }
    expect(draw(true)).toMatch(/^\r\u001b\[KVerifying █{8}░{22} 25% of 200B\r\u001b\[K$/)
    expect(draw(false)).toBe("")
  })

  it("says how much is done where nobody knows how much there is", () => {
    let text = ""
    const progress = createProgress("Reading", undefined, { isTTY: true, write: (part) => ((text += part), true) })
    progress.advance(2_000_000)
    progress.end()
    expect(text).toBe("\r\u001b[KReading 1.9MB\r\u001b[K")
  })
})
