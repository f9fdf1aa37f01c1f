import { describe, expect, it } from "vitest"
import { drawPlot } from "../../bench/plot.ts"
import { replaceSpeed, tellSpeed } from "../../bench/readme-speed.ts"
import type { Report } from "../../bench/report.ts"
import { readResult, type Result, type Results, writeResult } from "../../bench/results.ts"
import { writeResultsPage } from "../../bench/results-page.ts"

const machine = {
  date: "2026-11-24T01:02:03.000Z",
  node: "v24.21.0",
  cpu: "2 × Some CPU",
  memory: "24 GiB",
  others: 0.031,
  versions: { sluice: "0.1.0", "@tus/server": "2.4.5" },
}

const small: Report = {
  title: "PUT, 1 KiB files, 16 at once",
  figures: { rate: "requests/s", cpu: "CPU µs", missing: "not measured" },
  rounds: new Map([
    ["sluice", { rate: [3000, 4000, 3500], cpu: [200, 300, 250] }],
    ["@tus/server", { rate: [1000, 1000, 1000] }],
    ["nginx", { rate: [9000, 8000, 7000] }],
  ]),
  aims: [
    { of: "sluice", to: "@tus/server", figure: "rate", atLeast: 3.6 },
    { of: "sluice", to: "nginx", figure: "rate" },
    { of: "sluice", figure: "cpu", atMost: 300 },
    { of: "sluice", figure: "cpu", atMost: 240 },
  ],
}

const withTitle = (title: string, rates: ReadonlyArray<number>): Report => ({
  ...small,
  title,
  rounds: new Map([
    ["sluice", { rate: rates }],
    ["@tus/server", { rate: [100, 100, 100] }],
  ]),
  aims: [{ of: "sluice", to: "@tus/server", figure: "rate" }],
})

const put: Result = {
  machine,
  reports: [
    small,
    withTitle("PUT, 10 MiB files, one after the other", [156, 157, 158]),
    withTitle("PUT, a file of 1 GiB", [95, 96, 97]),
  ],
}
const results: Results = new Map([["put", put]])

describe("the page of results", () => {
  const { markdown, plots } = writeResultsPage(results)
  const paragraphs = markdown.split("\n\n")

  it("says first where we are behind: missed aims, then ratios in which others do better", () => {
    expect(paragraphs.slice(1, 6)).toEqual([
      "Sluice misses 2 of its 3 aims, and is behind in 2 more of 4 ratios.",
      "**It misses these aims:**",
      [
        "- PUT, 1 KiB files, 16 at once: `sluice` reaches ×3.5 (3..4) of `@tus/server`, by requests/s; the aim is ×3.6 or more.",
        "- PUT, 1 KiB files, 16 at once: `sluice` takes 250 (200..300) CPU µs; the aim is 240 or less.",
      ].join("\n"),
      expect.stringMatching(/^\*\*It is behind here, and no aim is missed\*\*/),
      [
        "- PUT, 1 KiB files, 16 at once: `sluice` reaches ×0.5 (0.33..0.5) of `nginx`, by requests/s.",
        "- PUT, a file of 1 GiB: `sluice` reaches ×0.96 (0.95..0.97) of `@tus/server`, by requests/s.",
      ].join("\n"),
    ])
  })

  it("says where and with what was measured", () => {
    expect(markdown).toContain(
      "`npm run bench -- put`, 3 rounds on 2026-11-24: 2 × Some CPU, 24 GiB, Node v24.21.0. Others used 3 % of the processors meanwhile.",
    )
    expect(markdown).toContain("`sluice` 0.1.0, `@tus/server` 2.4.5.")
  })

  it("has each table, its aims and its plot; figures that nobody has are left out", () => {
    expect(markdown).toContain(`### PUT, 1 KiB files, 16 at once

![PUT, 1 KiB files, 16 at once: requests/s](results/put-1.svg)

|  | requests/s | CPU µs |
| --- | ---: | ---: |
| sluice | 3,500 (3,000..4,000) | 250 (200..300) |
| @tus/server | 1,000 |  |
| nginx | 8,000 (7,000..9,000) |  |

|  | found | aim |  |
| --- | ---: | ---: | ---: |
| sluice / @tus/server, requests/s | ×3.5 (3..4) | ≥ ×3.6 | MISSED |
| sluice / nginx, requests/s | ×0.5 (0.33..0.5) |  |  |
| sluice, CPU µs | 250 (200..300) | ≤ 300 | met |
| sluice, CPU µs | 250 (200..300) | ≤ 240 | MISSED |
`)
    expect([...plots.keys()]).toEqual(["put-1.svg", "put-2.svg", "put-3.svg"])
    expect(plots.get("put-1.svg")).toContain(">8,000 (7,000..9,000)<")
  })

  it("says of plots where less is better", () => {
    const report = { ...small, figures: { cpu: "CPU µs" }, aims: [] }
    const { plots } = writeResultsPage(new Map([["cpu", { machine, reports: [report] }]]))
    expect(plots.get("cpu-1.svg")).toContain("CPU µs (less is better)")
    expect([...plots.values()].join("")).not.toContain("@tus/server")
  })

  it("is the same after its results were written to a file and read again", () => {
    expect(writeResultsPage(new Map([["put", readResult(writeResult(put))]]))).toEqual({ markdown, plots })
  })

  it("keeps text that Markdown would take for something else", () => {
    const odd = { ...small, title: "A | B *c*", aims: [] }
    const page = writeResultsPage(new Map([["odd", { machine, reports: [odd] }]])).markdown
    expect(page).toContain(String.raw`### A \| B \*c\*`)
  })

  it("says so where nothing was measured", () => {
    expect(writeResultsPage(new Map()).markdown).toContain("Nothing has been measured yet.")
  })
})

describe("a plot", () => {
  const svg = drawPlot({
    title: 'A <b> & "c"',
    label: "MiB/s",
    bars: [
      ["sluice", { median: 50, min: 25, max: 75 }],
      ["a & b", { median: 100, min: 100, max: 100 }],
    ],
  })

  it("has bars as long as medians, and lines from the lowest to the highest round", () => {
    const bars = [...svg.matchAll(/<rect class="(bar|ours)" x="150" y="\d+" width="([\d.]+)"/g)]
    expect(bars.map(([, kind, width]) => [kind, Number(width)])).toEqual([
      ["ours", 200],
      ["bar", 400],
    ])
    // What did not vary has no line.
    expect([...svg.matchAll(/<path class="spread" d="M(\d+) \d+H(\d+)M/g)].map(([, from, to]) => [from, to])).toEqual([
      ["250", "450"],
    ])
  })

  it("brings its own ground, light and dark, under text of the other brightness", () => {
    const [light = "", dark = ""] = svg.split("@media (prefers-color-scheme: dark)")
    const brightness = (style: string, name: string) =>
      Number.parseInt(new RegExp(`\\.${name} \\{ fill: #(\\w)`).exec(style)![1]!, 16)
    for (const text of ["text", "faint"]) {
      expect(brightness(light, "ground") - brightness(light, text)).toBeGreaterThan(8)
      expect(brightness(dark, text) - brightness(dark, "ground")).toBeGreaterThan(8)
    }
  })

  it("escapes what it is given, and says what it shows to whoever cannot see it", () => {
    expect(svg).toContain("<title>A &lt;b&gt; &amp; &quot;c&quot;: MiB/s</title>")
    expect(svg).toContain(">a &amp; b<")
    expect(svg).toContain('role="img"')
  })

  it("draws figures that are all 0", () => {
    const zero = { median: 0, min: 0, max: 0 }
    expect(drawPlot({ title: "t", label: "lost", bars: [["sluice", zero]] })).not.toMatch(/NaN|Infinity/)
  })
})

describe("the README's words on speed", () => {
  it("are ratios of the results", () => {
    expect(tellSpeed(results)).toBe(
      "**It is fast**, with SHA-256 and flushes on. On 2 × Some CPU it takes 3.5 times as many 1 KiB files a second as `@tus/server`, 10 MiB files 1.6 times as fast, a file of 1 GiB 0.96 times. Medians of one run: [all figures, and where it is behind](bench/RESULTS.md).",
    )
  })

  it("have no figures where nothing was measured", () => {
    expect(tellSpeed(new Map())).not.toMatch(/\d times/)
  })

  it("take the place of one entry of a list", () => {
    const readme = "- **It serves** many.\n- **It is fast**, by\n  ×9.\n- **Last**.\n\n## Next\n"
    const replaced = replaceSpeed(readme, results)
    expect(replaced).toMatch(
      /^- \*\*It serves\*\* many\.\n- \*\*It is fast\*\*, [^]*\(bench\/RESULTS\.md\)\.\n- \*\*Last\*\*\.\n\n## Next\n$/,
    )
    expect(replaced).not.toContain("×9")
    expect(Math.max(...replaced.split("\n").map((line) => line.length))).toBeLessThan(140)
    expect(replaceSpeed(replaced, results)).toBe(replaced)
    expect(() => replaceSpeed("# A\n", results)).toThrow("no entry")
  })
})
