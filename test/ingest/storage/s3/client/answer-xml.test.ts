import { describe, expect, it } from "vitest"
import { escapeXml, parseAnswer } from "../../../../../src/ingest/storage/s3/client/answer-xml.ts"

describe("an answer in XML", () => {
  it("is read with its name, texts and lists", () => {
    const answer = parseAnswer(
      `  \n<?xml version="1.0" encoding="UTF-8"?>\n<R xmlns="x"><A>1 &amp; &lt;2&gt;</A><B/><C><D>x</D></C><C><D><![CDATA[<y>]]></D></C></R>\n `,
    )!
    expect([answer.name, answer.text("A"), answer.text("B"), answer.text("none")]).toEqual(["R", "1 & <2>", "", ""])
    expect(answer.all("C").map((each) => each.text("D"))).toEqual(["x", "<y>"])
    expect(answer.all("D")).toEqual([])
  })

  const entities = Array.from({ length: 9 }, (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`).join("")

  it.each([
    ["nothing", ""],
    ["a page of a proxy", "<html><body><p>Bad gateway<br></body></html>"],
    ["JSON", "{}"],
    ["half an answer", "<R><A>1</A>"],
    ["two roots", "<R/><R/>"],
    ["entities that grow", `<!DOCTYPE R [<!ENTITY a0 "ha">${entities}]><R>&a9;</R>`],
    ["a file", `<!DOCTYPE R [<!ENTITY f SYSTEM "file:///etc/hostname">]><R>&f;</R>`],
    ["elements without end", "<a>".repeat(200_000)],
  ])("%s is none", (_name, text) => {
    expect(parseAnswer(text)).toBeUndefined()
  })

  it("is written so that it is read as it was", () => {
    const text = `"<a>&amp;'`
    expect(parseAnswer(`<R><A>${escapeXml(text)}</A></R>`)!.text("A")).toBe(text)
  })
})
