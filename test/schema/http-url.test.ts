import { describe, expect, it } from "vitest"
import { findUrlMistake } from "../../src/schema/http-url.ts"

/** The list of https://fetch.spec.whatwg.org/#port-blocking. */
const badPorts = [
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]

describe("a URL's port", () => {
  it("is refused exactly where fetch refuses it", async () => {
    const refused = Array.from({ length: 65_535 }, (_, index) => index + 1).filter(
      (port) => findUrlMistake(`http://app.example:${port}/`) !== undefined,
    )
    expect(refused).toEqual(badPorts)
    for (const port of badPorts) {
      await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ cause: { message: "bad port" } })
    }
  })

  it("may be the scheme's own", () => {
    for (const url of ["http://app.example/", "https://app.example:443/", "http://app.example:80"]) {
      expect(findUrlMistake(url)).toBeUndefined()
    }
    expect(findUrlMistake("http://app.example:0/")).toContain("fetch refuses 0")
  })
})
