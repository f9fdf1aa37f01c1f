import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isProblemCode, type ProblemCode, problems, toProblemDocument } from "../../../src/protocol/errors/problem.ts"

const codes = Object.keys(problems) as Array<ProblemCode>

/** The table of §11: each row holds two pairs of cells, codes and their statuses. */
const documentedStatuses = (): Record<string, number> => {
  const text = readFileSync(new URL("../../../docs/protocol.md", import.meta.url), "utf8")
  const section = /^## 11\..*?(?=^## )/ms.exec(text)![0]
  const rows = section
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").map((cell) => cell.trim()))
  const table: Record<string, number> = {}
  for (const [, ...cells] of rows.slice(2)) {
    for (const [codesCell = "", statusCell = ""] of [cells.slice(0, 2), cells.slice(3, 5)]) {
      const statuses = statusCell.match(/\d{3}|–/g) ?? []
      const documented = codesCell.replace(/\(.*?\)/g, "").match(/\b[A-Z]{2,}(?:_[A-Z]+)*\b/g) ?? []
      expect(statuses.length === 1 || statuses.length === documented.length, codesCell).toBe(true)
      documented.forEach((code, place) => {
        const status = statuses.length === 1 ? statuses[0] : statuses[place]!
        table[code] = status === "–" ? 0 : Number(status)
      })
    }
  }
  return table
}

describe("the table of problems", () => {
  it("is that of docs/protocol.md §11: no code and no status more, less or other", () => {
    const inCode = Object.fromEntries(codes.map((code) => [code, problems[code].status]))
    expect(inCode).toEqual(documentedStatuses())
  })

  it("has a title for each code, none twice", () => {
    const titles = codes.map((code) => problems[code].title)
    expect(titles).not.toContain("")
    expect(new Set(titles).size).toBe(titles.length)
  })

  it("calls retryable what time alone can mend", () => {
    expect(codes.filter((code) => problems[code].retryable).sort()).toEqual([
      "CALLBACK_FAILED",
      "CALLBACK_TIMEOUT",
      "INGEST_UNAVAILABLE",
      "INTERNAL_ERROR",
      "LOCKED",
      "NETWORK_ERROR",
      "RATE_LIMITED",
    ])
  })
})

describe("a problem document", () => {
  it("is filled from the table", () => {
    expect(toProblemDocument("FILE_TOO_LARGE", "a.png has 5MB.")).toEqual({
      type: "urn:sluice:error:file-too-large",
      title: "The file is too large",
      status: 413,
      detail: "a.png has 5MB.",
      code: "FILE_TOO_LARGE",
    })
  })

  it("has a type of its own for each code, in kebab case", () => {
    const types = codes.map((code) => toProblemDocument(code, "").type)
    expect(new Set(types).size).toBe(codes.length)
    for (const type of types) expect(type).toMatch(/^urn:sluice:error:[a-z]+(-[a-z]+)*$/)
  })

  it("holds data only where there is some; null and false are some", () => {
    expect(toProblemDocument("FORBIDDEN", "")).not.toHaveProperty("data")
    expect(toProblemDocument("FORBIDDEN", "", { data: undefined })).not.toHaveProperty("data")
    expect(toProblemDocument("FORBIDDEN", "", { data: null })).toHaveProperty("data", null)
    expect(toProblemDocument("FORBIDDEN", "", { data: false })).toHaveProperty("data", false)
  })

  it("takes a status of the user's own if it is one of an error", () => {
    expect(toProblemDocument("FORBIDDEN", "", { status: 402 }).status).toBe(402)
    for (const status of [0, 200, 302, 399, 600, 404.5, -1, Number.NaN]) {
      expect(toProblemDocument("FORBIDDEN", "", { status }).status).toBe(403)
    }
  })

  it("always has a status that can be sent, whatever code it is of", () => {
    fc.assert(
      fc.property(fc.constantFrom(...codes), fc.oneof(fc.integer(), fc.constant(undefined)), (code, status) => {
        const document = toProblemDocument(code, "", { status })
        expect(new Response(null, { status: document.status }).ok).toBe(false)
        expect(document.status).toBeGreaterThanOrEqual(400)
      }),
    )
    expect(toProblemDocument("ABORTED", "").status).toBe(500)
  })
})

describe("isProblemCode", () => {
  it("knows the codes of the table and nothing that objects inherit", () => {
    for (const code of codes) expect(isProblemCode(code)).toBe(true)
    const strangers = [
      "",
      "forbidden",
      "toString",
      "constructor",
      "__proto__",
      "hasOwnProperty",
      403,
      null,
      undefined,
      {},
      ["FORBIDDEN"],
    ]
    for (const stranger of strangers) expect(isProblemCode(stranger)).toBe(false)
  })
})
