import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..")

/** Phrases that read like a translation, each with the words that the field uses instead. */
const idioms: ReadonlyArray<readonly [idiom: RegExp, instead: string]> = [
  [/gone on with/i, "resumed"],
  [/such as there are not|files there are not|file there is not/i, "files that do not exist"],
  [/\bcounts? for nothing\b/i, "ignored"],
  [/nobody foresaw/i, "unexpected"],
  [/\bbefalls\b/i, "the failure of"],
  [/\bown hand\b/i, "the server API"],
]

/** The text without line ends and the signs before a comment's lines, so that a phrase is found where a line breaks it. */
const unwrap = (text: string): string => text.replaceAll(/\s*\n\s*(?:\*|\/\/|>)?\s*/g, " ")

test("sources, pages and messages are without phrases that a reader has to translate", () => {
  const files = globSync(
    [
      "{src,adapters,bindings,playground,site}/**/*.{ts,tsx,css,svelte}",
      "docs/*.{md,json}",
      "docs/{components,frameworks}/*.md",
      "{README,CONTRIBUTING,SECURITY}.md",
    ],
    { cwd: root },
  )
  expect(files.length).toBeGreaterThan(600)
  const found = files.flatMap((file) => {
    const text = unwrap(readFileSync(join(root, file), "utf8"))
    return idioms.flatMap(([idiom, instead]) => {
      const [phrase] = idiom.exec(text) ?? []
      return phrase === undefined ? [] : [`${file}: "${phrase}". Instead: ${instead}`]
    })
  })
  expect(found).toEqual([])
})
