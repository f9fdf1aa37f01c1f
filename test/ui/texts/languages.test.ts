import { readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { afterEach, describe, expect, test, vi } from "vitest"
import packageJson from "../../../package.json" with { type: "json" }
import { parseProblem } from "../../../src/protocol/errors/parse-problem.ts"
import { problems } from "../../../src/protocol/errors/problem.ts"
import { en as english } from "../../../src/texts/en.ts"
import { createAnnouncementTexts } from "../../../src/ui/texts/announcement-texts.ts"
import { createPictureTexts, type PictureTexts } from "../../../src/ui/avatar/picture-texts.ts"
import {
  type AcceptedKind,
  createUploadSetup,
  type UploadItem,
  UploadError,
  type UploadTexts,
} from "../../../src/ui.ts"
import { codeNotLoaded } from "../../../src/ui/texts/code-not-loaded.ts"
import type { LanguageWords } from "../../../src/ui/texts/languages/language-words.ts"
import { words as german } from "../../../src/ui/texts/languages/de.ts"
import { noFigures } from "../../../src/ui/controller/no-figures.ts"
import type { UploadSummary } from "../../../src/ui/controller/upload-state.ts"
import { parseConfig } from "../parse-config.ts"

const root = join(import.meta.dirname, "../../..")
const all = readdirSync(join(root, "src/texts"))
  .map((file) => basename(file, ".ts"))
  .toSorted()
const languages = all.filter((language) => language !== "en")

const load = async (language: string): Promise<Module> => import(join(root, `src/texts/${language}.ts`))

/** The words behind a door, which it does not show. */
const loadWords = async (language: string): Promise<{ readonly words: LanguageWords }> =>
  import(join(root, `src/ui/texts/languages/${language}.ts`))

interface Module {
  readonly createTexts: (own?: Partial<UploadTexts>) => UploadTexts
  readonly [language: string]: unknown
}

afterEach(() => vi.unstubAllEnvs())

const rtl: ReadonlySet<string> = new Set(["ar", "he"])
const withPlurals: ReadonlySet<string> = new Set(["ar", "de", "es", "fr", "he", "it", "nl", "pl", "pt"])
const counts = [0, 1, 2, 3, 4, 5, 10, 11, 21, 22, 25, 100, 101, 1_000, 1_000_000, 2_000_000]

const state = (some: Partial<UploadSummary>) =>
  ({ summary: { ...noFigures, ...some } }) as Parameters<UploadTexts["summary"]>[0]
const item = (some: Partial<UploadItem>): UploadItem =>
  ({ id: "1", name: "a.png", size: 4_200_000, loaded: 2_100_000, progress: 50, canRetry: true, ...some }) as UploadItem
const failure = (code: keyof typeof problems, status = 400) =>
  new UploadError({ code, status, message: "Nur für Mitglieder." })
const one = parseConfig({ image: { maxFileSize: "4MB" } })
const configs = {
  one,
  several: parseConfig({ pdf: { maxFileSize: "1GB", maxFileCount: 3 } }),
  range: parseConfig({ video: { maxFileSize: "1GB", maxFileCount: 5, minFileCount: 2 } }),
  exact: parseConfig({ audio: { maxFileSize: "1GB", maxFileCount: 4, minFileCount: 4 } }),
  mixed: parseConfig({
    image: { maxFileSize: "4MB", maxFileCount: 12 },
    text: { maxFileSize: "16MB" },
    blob: { maxFileSize: "8MB", maxFileCount: 2 },
  }),
  types: parseConfig(
    Object.fromEntries(
      [
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.ms-excel",
        "application/vnd.ms-powerpoint",
        "application/zip",
        "application/octet-stream",
        "application/vnd.acme.very-special-format",
        "image/svg+xml",
        "video/webm",
        "font/woff2",
        "model/gltf-binary",
        "text/plain",
        "text/markdown",
        "audio/mpeg",
      ].map((type) => [type, { maxFileSize: "8MB" as const, maxFileCount: 3 }]),
    ),
  ),
}

/** Each text with all that it may be given: what it says, by what it was given. */
const sayAll = (texts: UploadTexts): ReadonlyMap<string, string> => {
  const said = new Map<string, string>()
  /** Texts that were called. */
  const used = new Set<string>()
  const say = <Name extends Exclude<keyof UploadTexts, "announce" | "picture">>(
    name: Name,
    ...given: Parameters<UploadTexts[Name]>
  ) => {
    used.add(name)
    const text = (texts[name] as (...given: Array<unknown>) => string)(...given)
    said.set(`${name} ${said.size}`, text)
  }
  for (const name of ["choose", "drop", "dropNow"] as const)
    for (const isMultiple of [false, true]) say(name, isMultiple)
  for (const count of counts) {
    for (const name of ["upload", "retryAll", "affected", "uploadFirst", "uploading", "retrying"] as const)
      say(name, count)
    say("removed", "a.png", count)
    say("replaced", "a.png")
    say("dropSome", count, 30)
    say("otherFile", 2_000_000, count)
    say("summary", state({ total: count + 1, done: count, failed: count + 1 }))
    for (const config of Object.values(configs))
      for (const [kind, limits] of Object.entries(config)) {
        const accepted = { ...limits!, kind: kind as "image", maxFileCount: Math.max(1, count) } as AcceptedKind
        say("chooseMore", accepted, count)
        say("tooMany", accepted)
        said.set(`limit ${said.size}`, texts.allowed({ [kind]: accepted }))
      }
  }
  for (const config of Object.values(configs)) {
    for (const name of ["allowed", "typeNotAllowed", "limits"] as const) say(name, config)
    say("dropNone", config, "type")
    say("dropNone", config, "count")
  }
  for (const seconds of [2, 20, 61, 119, 600, 20_000]) {
    say("timeLeft", seconds)
    say("retryIn", seconds)
  }
  for (const bytes of [0, 1, 900, 5_000, 5_000_000, 5e9, 5e12]) {
    say("size", bytes)
    say("speed", bytes)
  }
  say("tooLarge", 5_000_000, 1_000_000)
  say("progress", 37)
  say("dropOnto", "Photos")
  say("labelled", texts.pause(), "Photos")
  say("actOn", texts.pause(), "a.png")
  say("newName", "a.png")
  for (const kind of ["photo", "video"] as const) say("capture", kind)
  for (const mistake of ["empty", "character", "length"] as const) say("nameMistake", mistake)
  say("failedFile", "a.png", texts.empty())
  const failures = texts.summary(state({ total: 3, done: 1, failed: 2 }))
  say("failedFiles", failures, texts.empty(), true)
  say("failedFiles", failures, texts.failedFile("a.png", texts.empty()), false)
  say("notSetUp", "MISSING_TOKEN")
  say("pastedImage", new Date(2026, 0, 2, 3, 4, 5))
  say("interruptedState", { id: "1", slug: "a", name: "a.png", size: 4_200_000, loaded: 2_100_000 } as never)
  say("interruptedState", { id: "1", slug: "a", name: "a.png", size: 4_200_000 } as never)
  for (const canRetry of [true, false]) say("blocksForm", item({ canRetry }))
  say("summary", state({ total: 12, done: 3, active: 2, bytes: 180e6, loaded: 41e6 }))
  say("summary", state({ total: 1, active: 1, bytes: 180e6, loaded: 41e3 }))
  say("summary", state({ total: 2, paused: 1, bytes: 180e6, loaded: 41e6 }))
  say("summary", state({ total: 2, active: 1, offline: 1 }))
  say("summary", state({ total: 2, active: 1, processing: 1 }))
  say("summary", state({ total: 2, active: 1, processing: 1, checking: 1 }))
  for (const reason of ["", "Nur für Mitglieder."]) say("rejected", reason)
  for (const code of Object.keys(problems) as Array<keyof typeof problems>) {
    say("error", failure(code))
    say("waitingAfter", failure(code))
  }
  say("error", failure("METHOD_NOT_ALLOWED", 413))
  for (const status of [401, 403, 413]) say("error", parseProblem(status, "", "app"))
  say("error", parseProblem(413, "", "ingest"))
  say("waitingAfter", undefined)
  for (const status of ["picked", "queued", "uploading", "processing", "paused", "done", "aborted", "failed"] as const)
    say("fileState", item({ status, error: failure("NETWORK_ERROR") }))
  for (const status of ["processing", "done"] as const) say("fileState", item({ status, isHeld: true }))
  for (const waitingFor of ["offline", "locked", "retry"] as const)
    say("fileState", item({ status: "waiting", waitingFor, error: failure("LOCKED") }))
  for (const name of Object.keys(english) as Array<keyof UploadTexts>) {
    if (used.has(name) || name === "announce" || name === "picture") continue
    // What is left takes nothing, so that no text is forgotten here.
    if (english[name].length > 0) throw new Error(`${name} is not tested.`)
    say(name as "pause")
  }
  const announce = createAnnouncementTexts(texts)
  const items = (count: number, ...codes: Array<keyof typeof problems>) =>
    Array.from({ length: count }, (_, i) => item({ name: `${i}.png`, error: failure(codes[i % codes.length]!) }))
  const tell = (name: keyof typeof announce, text: string) => said.set(`announce.${name} ${said.size}`, text)
  for (const count of counts.filter((count) => count < 30)) {
    tell("started", announce.started(count))
    tell("chosen", announce.chosen(count, []))
    tell("done", announce.done(count, 0))
    tell("done", announce.done(1, count))
    for (const name of ["paused", "resumed", "cancelled", "removed"] as const)
      tell(name, announce[name](items(count, "LOCKED")))
    if (count === 0) continue
    tell("restored", announce.restored(items(count, "LOCKED")))
    tell("canUndo", announce.canUndo(announce.removed(items(count, "LOCKED"))))
    for (const name of ["lifted", "liftedByFinger", "moved", "dropped", "putBack"] as const)
      tell(name, announce[name](item({}), 2, count))
    tell("chosen", announce.chosen(count, items(count, "NETWORK_ERROR")))
    tell("chosen", announce.chosen(0, items(count, "NETWORK_ERROR", "LOCKED")))
    tell("failed", announce.failed(items(count, "NETWORK_ERROR", "LOCKED")))
    tell("failed", announce.failed(items(count, "NETWORK_ERROR")))
    tell("failed", announce.failed(items(count, "REJECTED")))
    tell("locked", announce.locked(items(count, "LOCKED")))
  }
  for (const seconds of [undefined, 5, 40, 60, 120, 300, 20_000]) tell("progress", announce.progress(50, seconds))
  tell("offline", announce.offline())
  tell("processing", announce.processing())
  tell("checking", announce.checking())
  tell("retrying", announce.retrying(item({ status: "waiting", waitingFor: "retry" })))
  tell("renamed", announce.renamed("a.png", item({ name: "b.png" })))
  const picture = createPictureTexts(texts)
  for (const name of Object.keys(picture) as Array<keyof PictureTexts>)
    said.set(
      `picture.${name}`,
      name === "zoomed" ? picture.zoomed(250) : name === "moved" ? picture.moved(20, 70) : picture[name](),
    )
  const missing = Object.keys(announce).filter(
    (name) => ![...said.keys()].some((key) => key.startsWith(`announce.${name} `)),
  )
  if (missing.length > 0) throw new Error(`${missing.join()} of the announcements are not tested.`)
  return said
}

/** What may be the same in English: figures, names, and the server's own words. */
const isFigure = (text: string) =>
  ["Zoom", "Uploads"].includes(text) || // and words that other languages have, too
  !/\p{L}/u.test(text.replaceAll(/Nur für Mitglieder\.|\b[BKMGT]?B\b|\b(?:s|h|min)\b|PDF|[\u2066-\u2069\u200E]/g, ""))

test("the languages are those that the package promises, each by a door of its own", () => {
  expect(all).toEqual(["ar", "de", "en", "es", "fr", "he", "it", "ja", "ko", "nl", "pl", "pt", "zh"])
  const doors = Object.keys(packageJson.exports).filter((name) => name.startsWith("./texts/"))
  expect(doors).toEqual(all.map((language) => `./texts/${language}`))
})

describe.each(languages)("%s", (language) => {
  test("says everything, in its own words, with nothing left to fill in", async () => {
    vi.stubEnv("NODE_ENV", "production")
    const module = await load(language)
    const [said, inEnglish] = [sayAll(module.createTexts()), sayAll(english)]
    expect(module[language]).toEqual(expect.objectContaining({ choose: expect.any(Function) }))
    expect([...said.keys()]).toEqual([...inEnglish.keys()])
    const wrong = [...said].flatMap(([name, text]) => {
      const what =
        text.trim() === ""
          ? "empty"
          : /undefined|\bnull\b|NaN|\[object|[#{}~]/.test(text)
            ? "not filled in"
            : / {2}|\s[,.]|\.\.(?!\.)|^\s*[,.]/.test(text)
              ? "broken"
              : text === inEnglish.get(name) && !isFigure(text)
                ? "English"
                : ""
      return what === "" ? [] : [`${name}: ${what}: ${text}`]
    })
    expect(wrong).toEqual([])
  })

  test("has every plural category of its language in every phrase that is counted, and none else", async () => {
    const { words } = await loadWords(language)
    const { pluralCategories } = new Intl.PluralRules(words.locale).resolvedOptions()
    expect(pluralCategories.length > 1).toBe(withPlurals.has(language))
    let counted = 0
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== "object" || value === null) return
      const isNoun = path.startsWith(".kinds.")
      if ("other" in value && !("LOCKED" in value)) {
        counted++
        expect(
          Object.keys(value)
            .filter((key) => key !== "name")
            .toSorted(),
          path,
        ).toEqual(pluralCategories.toSorted())
        expect("name" in value, path).toBe(isNoun)
      } else for (const [name, inner] of Object.entries(value)) walk(inner, `${path}.${name}`)
    }
    walk(words, "")
    expect(counted).toBeGreaterThan(20)
  })

  test("says what errors mean where English does, and keeps the app's own words", async () => {
    vi.stubEnv("NODE_ENV", "production")
    const { createTexts } = await load(language)
    const texts = createTexts()
    for (const code of Object.keys(problems) as Array<keyof typeof problems>) {
      const error = failure(code)
      const isOwn = english.error(error) === error.detail
      const text = texts.error(error).replaceAll(/[\u2068\u2069]/g, "")
      expect(text === error.detail, code).toBe(isOwn)
      expect(/[(（][A-Z_]+[)）]/.test(text), code).toBe(english.error(error).includes(`(${code})`))
    }
    const foreign = [401, 403, 413].map((status) => parseProblem(status, '{"message":"Go away"}', "app"))
    const texted = foreign.map((error) => texts.error(error))
    expect(new Set(texted).size).toBe(3)
    expect(texted.join()).not.toMatch(/Go away|answered|INVALID_CONFIG/)
    const disguised = new UploadError({ code: "FORBIDDEN", status: 403, message: "fdp.\u202Egnp\u2069" })
    expect(texts.error(disguised)).not.toMatch(/[\u202A-\u202E\u2066\u2067]/)
    expect(texts.error(disguised).match(/\u2069/g)?.length ?? 0).toBe(rtl.has(language) ? 1 : 0)
  })

  test("keeps figures and names in order", async () => {
    const { createTexts } = await load(language)
    const texts = createTexts()
    // What the main button is split by, so that screen readers skip what changes.
    expect(texts.progress(37)).toMatch(/\p{N}[\p{N}.,]*\s*%$/u)
    const isRtl = rtl.has(language)
    for (const text of [texts.actOn("x", "a.png"), texts.blocksForm(item({})), texts.announce.paused!([item({})])])
      expect(text.includes("\u2068a.png\u2069"), text).toBe(isRtl)
    const isolating = [
      texts.newName("a.png"),
      texts.removed("a.png", 1),
      texts.replaced("a.png"),
      texts.failedFile("a.png", "x"),
      texts.announce.restored!([item({})]),
      texts.announce.moved!(item({}), 2, 3),
      texts.announce.renamed!("a.png", item({ name: "b.png" })),
    ]
    for (const text of isolating) expect(text.includes("\u2068a.png\u2069"), text).toBe(isRtl)
    expect(texts.actOn("x", "صورة.png")).toContain("\u2068صورة.png\u2069")
    if (isRtl)
      for (const status of ["queued", "uploading", "done"] as const) {
        const text = texts.fileState(item({ status }))
        // `13 MB, 54 %` would be one piece that runs from left to right in a line that does not.
        expect(text).not.toMatch(/[a-z][^\p{L}\u2069]*\p{N}/iu)
        // The first letter outside of what is isolated is what the browser takes the line's direction from.
        expect(text.replaceAll(/\u2066[^\u2069]*\u2069/g, "")).toMatch(
          /^[^\p{L}\u200E]*[\p{Script=Hebrew}\p{Script=Arabic}]/u,
        )
        expect(text.match(/\u2066/g)?.length ?? 0).toBe(text.match(/\u2069/g)?.length ?? 0)
      }
    expect(
      texts.summary(state({ active: 1, total: 1, bytes: 180 * 2 ** 20, loaded: 41 * 2 ** 20 })).match(/180/g),
    ).toHaveLength(1)
  })

  test("names what routes call by any word, as it is written", async () => {
    const { createTexts } = await load(language)
    const texts = createTexts()
    for (const noun of ["constructor", "__proto__", "toString", "signed contract", "$& #~"]) {
      const text = texts.allowed({ "application/x-a": { ...one.image!, noun } })
      expect(text.toLowerCase(), noun).toContain(noun.toLowerCase())
    }
    for (const noun of [5, null, {}, []]) {
      expect(() => texts.allowed({ image: { ...one.image!, noun: noun as never } })).not.toThrow()
    }
  })

  test("says that code of the page is missing, which a reload brings", async () => {
    const { createTexts } = await load(language)
    const error = codeNotLoaded(new TypeError("Failed to fetch"))
    const other = new UploadError({ code: "NETWORK_ERROR", message: "socket hang up" })
    expect(createTexts().error(error)).not.toBe(createTexts().error(other))
    expect(createTexts().error(error)).not.toContain("NETWORK")
  })

  test("says what an avatar says, all of it", async () => {
    const { createTexts } = await load(language)
    expect(Object.keys(createTexts().picture).toSorted()).toEqual(Object.keys(createPictureTexts(english)).toSorted())
  })

  test("uses what the page replaces in all that is made of it, also when components are given it", async () => {
    const { createTexts } = await load(language)
    const texts = createTexts({
      size: () => "SIZE",
      announce: { offline: () => "OFFLINE" },
      picture: { use: () => "USE" },
    })
    expect(texts.allowed(one)).toContain("SIZE")
    expect(texts.speed(1)).toContain("SIZE")
    expect(texts.announce.offline!()).toBe("OFFLINE")
    expect(texts.announce.started!(1)).toBe(createTexts().announce.started!(1))
    expect(createPictureTexts(texts).use()).toBe("USE")
    expect(createPictureTexts(texts).title()).toBe(createTexts().picture.title!())
    const setup = createUploadSetup({ texts: createTexts() })
    expect(setup.texts.choose(true)).toBe(createTexts().choose(true))
    expect(createAnnouncementTexts(setup.texts).processing()).toBe(createTexts().processing())
  })
})

test("a language that lacks a text, or a form of a phrase, does not compile", () => {
  const { offline: _, ...announcements } = german.announcements
  const { pause: __, ...texts } = german.texts
  const { LOCKED: ___, ...error } = german.composed.error
  const { title: ____, ...picture } = german.picture
  const lacking: ReadonlyArray<Partial<LanguageWords<"one" | "other">>> = [
    // @ts-expect-error no announcement
    { announcements },
    // @ts-expect-error no text
    { texts },
    // @ts-expect-error no title of the crop
    { picture },
    // @ts-expect-error no advice
    { composed: { ...german.composed, error } },
    // @ts-expect-error no form for one
    { texts: { ...german.texts, upload: { other: "# Dateien hochladen" } } },
  ]
  expect(lacking).toHaveLength(5)
})
