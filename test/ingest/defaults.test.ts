import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { describe, expect, it } from "vitest"
import type { Setting } from "../../src/cli/settings/setting-kinds.ts"
import { ingestSettings, type SettingName } from "../../src/cli/settings/settings.ts"
import { createMemoryCatalog, createSqliteCatalog } from "../../src/ingest.ts"
import { resolveSettings, settingNames } from "../../src/ingest/settings.ts"
import { otherIngestDefaults } from "../../src/schema/ingest-defaults.ts"

const root = join(import.meta.dirname, "../..")
const readText = (file: string): string => readFileSync(join(root, file), "utf8")

/** What an ingest uses that is told nothing. */
const used: Readonly<Record<string, unknown>> = { ...resolveSettings({}), ...otherIngestDefaults }

const settings: Readonly<Record<string, Setting<unknown>>> = ingestSettings

describe("the defaults of an ingest", () => {
  it("are those of its catalogs", async () => {
    const { largestContent } = otherIngestDefaults
    for (const catalog of [createMemoryCatalog(), createSqliteCatalog({ file: ":memory:" })]) {
      expect(catalog.abilities.largestContent).toBe(largestContent)
      await catalog.close()
    }
  })

  it.each(Object.keys(ingestSettings).filter((name) => name in used))("are what the command says: %s", (name) => {
    const { initial, parse } = settings[name]!
    expect(initial === undefined ? undefined : parse(initial)).toEqual(
      used[name] === undefined ? undefined : { ok: true, value: used[name] },
    )
  })
})

/** The members of an interface, with the text of their comment and of `@default` in it. */
const readMembers = (file: string, name: string) => {
  const source = ts.createSourceFile(file, readText(file), ts.ScriptTarget.Latest, true)
  const declared = source.statements.find(
    (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name,
  ) as ts.InterfaceDeclaration
  return declared.members.map((member) => ({
    name: member.name!.getText(),
    comment: ts
      .getJSDocCommentsAndTags(member)
      .map((part) => part.getText())
      .join("\n"),
    tags: ts.getJSDocTags(member).flatMap((tag) => (tag.tagName.text === "default" ? [String(tag.comment)] : [])),
  }))
}

const toCode = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(toCode).join(", ")}]`
  return typeof value === "number" ? value.toLocaleString("en").replaceAll(",", "_") : JSON.stringify(value)
}

/** `@default` as it should be: the value, and as people write it where that is something else. */
const toTag = (name: string, value: unknown): string => {
  const code = toCode(value)
  const { initial } = settings[name]!
  return initial === String(value) ? code : `${code} (${initial})`
}

describe("docstrings", () => {
  const members = readMembers("src/ingest/settings.ts", "Settings")
  const others = readMembers("src/ingest/ingest.ts", "IngestOptions").filter(({ name }) => name in otherIngestDefaults)

  it("are there for every setting", () => {
    expect(members.map(({ name }) => name).toSorted()).toEqual([...settingNames].toSorted())
    expect(others.map(({ name }) => name)).toEqual(["logLevel", "metrics"])
  })

  it.each([...members, ...others])("say what counts unless $name is given", ({ name, comment, tags }) => {
    const value = used[name]
    if (value === undefined || typeof value === "function") {
      expect(tags.filter((tag) => !tag.startsWith("undefined"))).toEqual([])
    } else {
      expect(tags).toEqual([toTag(name, value)])
      expect(comment).not.toContain("unless given")
    }
  })
})

/** A default as a page writes it, as the command would take it. */
const toText = (written: string): string =>
  written
    .replaceAll(/[`"]|\bthen |\/s$/g, "")
    .replaceAll(/(?<=\d),(?=\d{3})/g, "")
    .replace(/^a million$/, "1000000")
    .replace(/^an? /, "1 ")
    .replaceAll(/(?<=[KMG])iB\b/g, "B")
    .replaceAll(/ min\b/g, " minutes")
    .trim()

/** What a page says a setting is unless it is given. */
const readValue = (name: string, written: string): unknown => {
  if (/^(no limit|any)$/.test(written)) return undefined
  const parsed = settings[name]!.parse(toText(written))
  if (!parsed.ok) throw new Error(`${name}: ${JSON.stringify(written)}: ${parsed.detail}`)
  return parsed.value
}

/** Pages about the ingest: a setting that they name is one of its own. */
const pages = [
  "backup",
  "cli",
  "deploying",
  "operating",
  "protocol",
  "reliability",
  "scanning",
  "security",
  "troubleshooting",
]
const defaultNames = Object.keys(ingestSettings)
  .filter((name) => name in used)
  .join("|")

/** `callbackWait` (30 s) */
const inBrackets = (text: string) =>
  [...text.matchAll(new RegExp(`\`(${defaultNames})\` \\(([^)\`]*\\d[^)\`]*)\\)`, "g"))].map(
    ([, name, written]) => [name!, written!] as const,
  )

/** Rows of tables that have a column for it. */
const inTables = (text: string) => {
  const tables = text.split("\n\n").map((block) => block.split("\n").map((line) => line.split("|").slice(1, -1)))
  return tables.flatMap(([header = [], , ...rows]) => {
    const column = header.findIndex((cell) => /^(default|unless given)$/.test(cell.trim()))
    return rows.flatMap((cells) => {
      const name = new RegExp(`^ \`(${defaultNames})\``).exec(cells[0] ?? "")?.[1]
      return column < 0 || name === undefined ? [] : [[name, cells[column]!.trim()] as const]
    })
  })
}

/** Sentences of pages and files that say it in another way, `{…}` for what they say. */
const sentences: ReadonlyArray<readonly [file: string, sentence: string]> = [
  ["docs/protocol.md", "an empty line is a heartbeat (every {heartbeat})."],
  ["docs/protocol.md", "network error, timeout ({callbackTimeout}) or non-2xx"],
  ["docs/protocol.md", "with exponential backoff and jitter ({callbackRetries}; then `dead`"],
  ["docs/protocol.md", "under way at once ({maxConcurrentCallbacks}, operator's setting)"],
  ["docs/protocol.md", "more than {maxExpectedFiles} files of an app, or {maxExpectedBytes} of metadata and keys"],
  ["docs/protocol.md", "may wait for its registration ({unregisteredTtl}, operator's setting)"],
  ["docs/protocol.md", "Bounded: after {callbackWait} (operator's setting) 504"],
  ["docs/protocol.md", "sends slower than the minimum rate ({minimumRate} over {minimumRateWindow}; only"],
  ["docs/protocol.md", "More than {maxConcurrentUploads} files of an app being sent at once"],
  ["docs/protocol.md", "or a REST call that is not complete within {bodyTimeout}: 408"],
  ["docs/protocol.md", "More than {maxConcurrentReads} files being sent to clients at once"],
  ["docs/protocol.md", "less of a file than the minimum rate ({minimumReadRate} over {minimumReadRateWindow}; only"],
  ["docs/protocol.md", "Unfinished uploads {unfinishedTtl} (operator's setting) past `expires`"],
  ["docs/protocol.md", "though client-side are reclaimed after {unregisteredTtl}."],
  ["docs/protocol.md", "What `Failed` is forgotten {historyTtl} (operator's setting) past"],
  ...["docs/deploying.md", "deploy/nginx.conf"].flatMap((file) => [
    [file, "callbackWait and callbackTimeout are {callbackWait}, heartbeat is {heartbeat}."] as const,
    [file, "callbackWait and callbackTimeout are {callbackTimeout}, heartbeat"] as const,
  ]),
  ["docs/deploying.md", "files up to {largestContent} whole)"],
  ["docs/deploying.md", "and `--minimum-free` ({minimumFree})"],
  ["docs/operating.md", "`logLevel` ({logLevel} unless given)"],
  ["docs/operating.md", "| {callbackNetworks} (the default) | addresses of the public Internet only"],
  ["docs/operating.md", "| {metrics} (the default) | nobody"],
  ["docs/backup.md", "Files up to {largestContent} lie in the catalog, as `--largest-content` says"],
  ["docs/troubleshooting.md", "no more than the reserve fails ({minimumFree}, or its `--minimum-free`)"],
  ["docs/troubleshooting.md", "lets a request wait ({callbackWait})"],
]

const escape = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^|]/g, "\\$&")

describe("docs", () => {
  it.each(pages)("docs/%s.md says what is used, in brackets and tables", (page) => {
    const text = readText(`docs/${page}.md`)
    for (const [name, written] of [...inBrackets(text.replaceAll(/\s+/g, " ")), ...inTables(text)]) {
      expect(readValue(name, written), `${name}: ${written}`).toEqual(used[name])
    }
  })

  it("say it in brackets and tables of these pages", () => {
    const all = pages.map((page) => readText(`docs/${page}.md`))
    expect(all.flatMap(inBrackets).length).toBeGreaterThanOrEqual(6)
    expect(all.flatMap(inTables).length).toBeGreaterThanOrEqual(6)
    expect(globSync("docs/*.md", { cwd: root })).toEqual(
      expect.arrayContaining(pages.map((page) => join("docs", `${page}.md`))),
    )
  })

  it.each(sentences)("%s says what is used: %s", (file, sentence) => {
    const text = readText(file).replaceAll(/\s+/g, " ")
    const names = [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as SettingName)
    const found = [...text.matchAll(new RegExp(escape(sentence).replaceAll(/\{\w+\}/g, "([^|]{1,60}?)"), "g"))]
    expect(found.length).toBe(1)
    for (const [place, name] of names.entries()) expect(readValue(name, found[0]![place + 1]!)).toEqual(used[name])
  })
})
