import { readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { fileNotFound } from "../../../src/ingest/refusals.ts"
import { withErrorPage } from "../../../src/ingest/requests/error-page.ts"
import { languages } from "../../../src/ingest/requests/error-page-words.ts"
import { signReadUrl } from "../../../src/protocol/signing/read-grant.ts"
import { toProblemAnswer } from "../../../src/server-kit/problem-answer.ts"
import { createGrant, encodedAppId, putRaw, randomContent, sign, signer, startIngest } from "../circle.ts"

const asPage = (dest = "document") => ({ headers: { "sec-fetch-dest": dest } })

/** What a person sees of an answer: its status and title, and whether it is a page. */
const look = async (url: string, init: RequestInit = asPage()) => {
  const response = await fetch(url, init)
  const text = await response.text()
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    title: /<title>(.*)<\/title>/.exec(text)?.[1],
    text,
    response,
  }
}

const storePrivate = async () => {
  const { url } = await startIngest({ defaultAcl: "private" })
  const grant = createGrant({ size: 10 })
  expect((await putRaw(await sign(url, grant), randomContent(10))).status).toBe(200)
  const file = `${url}/f/${grant.key}`
  return { url, file, signed: (expires: number) => signReadUrl(file, { expires }, signer) }
}

it("a person who opens a link that does not work reads why, in words", async () => {
  const { url, file, signed } = await storePrivate()
  const later = Date.now() + 60_000
  const cases: ReadonlyArray<readonly [string, number, string, string]> = [
    [await signed(Date.now() - 1), 403, "This link has expired", "EXPIRED_URL"],
    [file, 403, "This link does not open the file", "FORBIDDEN"],
    [`${url}/f/${encodedAppId}gone?<script>`, 404, "There is no file here", "NOT_FOUND"],
    [`${url}/a/app-1/<b>x`, 404, "There is no file here", "NOT_FOUND"],
  ]
  for (const [link, status, title, code] of cases) {
    for (const dest of ["document", "iframe", "embed"]) {
      const seen = await look(link, asPage(dest))
      expect([seen.status, seen.title, seen.type]).toEqual([status, title, "text/html; charset=utf-8"])
      expect(seen.text).toContain(`<small>${code}</small>`)
      // Nothing of the request is in it, and nothing in it runs.
      expect(seen.text).not.toMatch(/<script|<b>|\son\w+=/)
      expect(Object.fromEntries(seen.response.headers)).toMatchObject({
        "cache-control": "no-store",
        "content-security-policy": expect.stringMatching(/^sandbox; default-src 'none'/),
        "x-content-type-options": "nosniff",
      })
    }
  }
  expect((await look(await signed(later))).status).toBe(200)
})

it("tells what may be gone in a moment from what will not", async () => {
  const { url, drain } = await startIngest({ defaultAcl: "public-read" })
  const grant = createGrant({ size: 10 })
  expect((await putRaw(await sign(url, grant), randomContent(10))).status).toBe(200)
  const beyond = await look(`${url}/f/${grant.key}`, { headers: { "sec-fetch-dest": "document", range: "bytes=99-" } })
  expect([beyond.status, beyond.title]).toEqual([416, "The file cannot be opened"])
  await drain(0)
  const stopping = await look(`${url}/f/${grant.key}`)
  expect([stopping.status, stopping.title]).toEqual([503, "The file cannot be opened at the moment"])
})

it("what is for the scanner alone is no page", () => {
  const answer = toProblemAnswer(fileNotFound())
  const request = new Request("http://a.example/scan/key/1", { headers: { "sec-fetch-dest": "document" } })
  const resource = { route: "/scan/{key}/{id}", moves: "out", methods: {} } as const
  expect(withErrorPage(answer, request, { ...resource, isHiddenFromPages: true })).toBe(answer)
  expect(withErrorPage(answer, request, resource).headers["content-type"]).toMatch(/^text\/html/)
})

it("programs, and the pages of apps, get the problem document", async () => {
  const { url, file, signed } = await storePrivate()
  const expired = await signed(Date.now() - 1)
  for (const init of [{}, asPage("empty"), asPage("image"), asPage("video")]) {
    const { type, text } = await look(expired, init)
    expect([type, JSON.parse(text)]).toMatchObject(["application/problem+json", { code: "EXPIRED_URL" }])
  }
  const head = await look(file, { method: "HEAD", ...asPage() })
  expect([head.status, head.type]).toEqual([403, "application/problem+json"])
  for (const other of [`${url}/ready/no`, `${url}/v1/files`, await sign(url, createGrant())]) {
    expect((await look(other)).type, other).toBe("application/problem+json")
  }
})

it.each([
  ["de-AT,de;q=0.9,en;q=0.8", "de", "ltr", "Dieser Link ist abgelaufen"],
  ["fr;q=0.3, ja ; q=0.8, *;q=0.1", "ja", "ltr", "このリンクは有効期限が切れています"],
  ["HE", "he", "rtl", "פג תוקפו של הקישור"],
  ["tlh, eo;q=0.9", "en", "ltr", "This link has expired"],
  ["de;q=0", "en", "ltr", "This link has expired"],
  ['constructor,__proto__,de;q=x,"><script>', "en", "ltr", "This link has expired"],
])("speaks the reader's language: %s", async (accepted, tag, direction, title) => {
  const { signed } = await storePrivate()
  const link = await signed(Date.now() - 1)
  const seen = await look(link, { headers: { "sec-fetch-dest": "document", "accept-language": accepted } })
  expect(seen.title).toBe(title)
  expect(seen.text).toContain(`<html lang="${tag}" dir="${direction}">`)
})

it("has words of its own for each reason, in each language, and none that a page would take for markup", () => {
  // Those of the components.
  const spoken = readdirSync(join(import.meta.dirname, "../../../src/texts")).map((file) => file.replace(".ts", ""))
  expect([...languages.keys()].toSorted()).toEqual(spoken.toSorted())
  const all = [...languages.values()].flatMap((language) => Object.values(language).flat())
  expect(all.length).toBe(languages.size * 10)
  expect(new Set(all).size).toBe(all.length)
  for (const text of all) expect(text).not.toMatch(/[<>&"]|^\s|\s$/)
})
