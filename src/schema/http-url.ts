import * as Schema from "effect/Schema"

/**
 * Ports that `fetch` refuses, 0 1 7 9 11 … 6697 10080, each as its distance from the previous one, because this goes
 * into every app. Source: https://fetch.spec.whatwg.org/#port-blocking.
 * Source: https://fetch.spec.whatwg.org/#port-blocking.
 */
const distances =
  "0 1 6 2 2 2 2 2 2 1 1 1 1 2 12 5 1 10 16 8 2 8 8 6 1 1 1 5 1 1 2 2 2 2 4 12 2 2 4 18 18 210 38 38 47 1 1 1 11 4 1 1 8 8 6 2 7 24 14 35 353 1 3 2 724 1 3 326 1610 386 145 870 1 939 566 99 1 1 1 1 10 18 3383"

/** Whether `fetch` refuses a port. */
export const isBadPort = (port: number): boolean => {
  let bad = 0
  return distances.split(" ").some((distance) => (bad += +distance) === port)
}

/** Why a URL cannot be fetched; undefined where it can. Never contains the URL, which may hold a password. */
export const findUrlMistake = (text: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!/^https?:$/.test(url?.protocol ?? "")) return "Expected an http(s) URL"
  const { username, password, port } = url!
  if (username + password !== "") return "Expected a URL without user and password"
  if (port !== "" && isBadPort(+port)) return `Expected another port: fetch refuses ${port}`
  return undefined
}

/** An absolute URL of a web server that `fetch` accepts. */
export const HttpUrl: Schema.Codec<string> = Schema.String.check(
  Schema.makeFilter((url: string) => findUrlMistake(url) ?? true),
)
