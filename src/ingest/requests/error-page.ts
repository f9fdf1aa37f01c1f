import type { Answer } from "../../http/answer.ts"
import type { Incoming } from "../../http/incoming.ts"
import { isProblemCode, isRetryable, type ProblemCode } from "../../protocol/errors/problem-code.ts"
import { problemMediaType } from "../../protocol/errors/problem.ts"
import type { Resource } from "../resource.ts"
import { chooseLanguage, languages, type Reason } from "./error-page-words.ts"

/** Where a browser shows to a person what comes. */
const places: ReadonlySet<string> = new Set(["document", "iframe", "frame", "embed", "object"])

/** Who made the link finds more in the ingest's log, under the code. */
const reasons: Readonly<Partial<Record<ProblemCode, Reason>>> = {
  EXPIRED_URL: "expired",
  FORBIDDEN: "refused",
  INVALID_SIGNATURE: "refused",
  NOT_FOUND: "gone",
}

const style =
  ":root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}body{margin:0;min-height:100vh;display:grid;place-content:center}" +
  "main{max-width:32rem;padding:1.5rem}h1{font-size:1.375rem;line-height:1.3;margin:0 0 .5rem}p{margin:0 0 1rem}small{opacity:.75}"

const toPage = (code: ProblemCode, tag: string): string => {
  const [title, advice] = languages.get(tag)![reasons[code] ?? (isRetryable(code) ? "busy" : "other")]
  const direction = tag === "ar" || tag === "he" ? "rtl" : "ltr"
  return (
    `<!doctype html><html lang="${tag}" dir="${direction}"><head>` +
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<meta name="robots" content="noindex"><title>${title}</title><style>${style}</style></head>` +
    `<body><main><h1>${title}</h1><p>${advice}</p><small>${code}</small></main></body></html>\n`
  )
}

const findCode = ({ headers, body }: Answer): ProblemCode | undefined => {
  if (headers["content-type"] !== problemMediaType || typeof body !== "string") return undefined
  const { code } = JSON.parse(body) as { readonly code: unknown }
  return isProblemCode(code) ? code : undefined
}

/**
 * Turns an error into a page of fixed words where a browser would show it to a person: somebody has opened the address of
 * a file. Programs, and the pages of apps, get the problem document.
 *
 * Source: docs/protocol.md §11.
 */
export const withErrorPage = (answer: Answer, request: Incoming, { moves, isHiddenFromPages }: Resource): Answer => {
  if (answer.status < 400 || moves !== "out" || isHiddenFromPages === true || request.method !== "GET") return answer
  if (!places.has(request.headers.get("sec-fetch-dest") ?? "")) return answer
  const code = findCode(answer)
  if (code === undefined) return answer
  const body = toPage(code, chooseLanguage(request.headers.get("accept-language")))
  return { ...answer, headers: { ...answer.headers, "content-type": "text/html; charset=utf-8" }, body }
}
