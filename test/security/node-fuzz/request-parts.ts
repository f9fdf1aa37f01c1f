import type { Random } from "./random.ts"
import type { Surface } from "./generate-input.ts"

export const rareMethods = [
  ..."OPTIONS DELETE PATCH TRACE CONNECT PRI QUERY M-SEARCH PROPFIND SOURCE PURGE LINK ACL BIND MKCALENDAR".split(" "),
  ..."get Post TRACK FOO GET\t G\u00cbT \u0000GET".split(" "),
  "",
]

export const oddTargets = [
  "*",
  "",
  "/",
  "//evil.example/a",
  "///",
  "/\\evil.example",
  "http://evil.example/api/sluice?actionType=upload&slug=note",
  "HTTP://EVIL.example",
  "http://user:password@evil.example/",
  "https://evil.example:99999/",
  "http://[::1/",
  "http://[::1]:80/",
  "http://%zz/",
  "http://",
  "http:///",
  "http://a b/",
  "ftp://evil.example/",
  "javascript:alert(1)",
  "evil.example:443",
  "api/sluice",
  "?actionType=upload",
  "#fragment",
  "/%",
  "/%zz?%=%&%zz",
  "/%00%0d%0aset-cookie:a=b",
  "/%c0%af%ff%fe?slug=%ff%fe",
  "/\u00c3\u00bc?slug=\u00ff",
  "/../../etc/passwd",
  "/./..//../%2e%2e/%2e%2e",
  "/a#b?c#d",
  "/?slug=__proto__&actionType=constructor",
  "/?slug=note&slug=note&actionType=upload&actionType=renew",
  "/f/%zz",
  "/f/../f/",
  "/a/%zz/%zz",
  "/a/%2f/%00",
  "/v6/__proto__",
  "/v6/listFiles/",
  "/\u0001\u007f",
]

/** Those beside HTTP/1.1. Node's parser lets the first four, and other protocols' words, through to the handler. */
export const versions = [
  ..."HTTP/2.0 HTTP/0.9 HTTP/1.0 RTSP/1.0 ICE/1.0 HTTP/2 HTTP/3.0 HTTP/1.2 HTTP/9.9 HTTP/11.1 HTTP/-1.1".split(" "),
  ..."http/1.1 HTTP/1 HTP/1.1 HTTPS/1.1 HTTP/1.1\u0000 HTTP/x.y \u00ff".split(" "),
  "HTTP/2.0",
  "HTTP/2.0",
  "HTTP/0.9",
  "",
]

const nest = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth)

/** Bodies of any request: those that mean something, JSON that should mean nothing, and noise. */
export const createBody = (random: Random, { bodies }: Surface): string => {
  if (random.chance(0.4)) return random.pick(bodies)
  return random.pick([
    () => "",
    () => "{}",
    () => "null",
    () => '{"files":null,"input":[]}',
    () => `{"files":[],"input":${nest(random.below(12_000), "[", "]")}}`,
    () => nest(random.below(12_000), '{"a":', "}"),
    () => "[".repeat(random.below(12_000)),
    () =>
      `{"files":[{"name":${JSON.stringify("\u0000\ud800".repeat(random.below(20)))},"size":-1e308,"type":"\\u0000"}]}`,
    () => '{"__proto__":{"files":[]},"constructor":1}',
    () => `{"urls":["http://${"a".repeat(random.below(300))}"]}`,
    () => Array.from({ length: random.below(600) }, () => String.fromCharCode(random.below(256))).join(""),
    () => '--b\r\ncontent-disposition: form-data; name="file"; filename="\u00ff"\r\n\r\nhello\r\n--b--\r\n',
    () => '--b\r\ncontent-disposition: form-data; name="fi\r\n\r\n\r\n--b\r\n--b',
    () => "x".repeat(random.below(70_000)),
  ])()
}

/** How a body is delimited, and it together with its delimiters. */
interface Framing {
  readonly headers: ReadonlyArray<string>
  readonly text: string
  /** Whether everybody agrees where it ends. */
  readonly isSound: boolean
}

const chunked = (random: Random, body: string): string => {
  const half = random.below(body.length + 1)
  const parts = [body.slice(0, half), body.slice(half)].filter((part) => part !== "")
  return parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("")
}

export const createFraming = (random: Random, method: string, body: string): Framing => {
  const { length } = body
  if (random.chance(0.8)) {
    // Without a body, or with one of the length it says.
    const isEmpty = method === "GET" || method === "HEAD" || random.chance(0.1)
    return isEmpty
      ? { headers: [], text: "", isSound: true }
      : { headers: [`Content-Length: ${length}`], text: body, isSound: true }
  }
  const sound = (headers: ReadonlyArray<string>, text: string): Framing => ({ headers, text, isSound: true })
  const odd = (headers: ReadonlyArray<string>, text = body): Framing => ({ headers, text, isSound: false })
  return random.pick([
    () => sound(["Content-Length: 0"], ""),
    () => sound([`content-length: ${length}`], body),
    () => sound(["Transfer-Encoding: chunked"], `${chunked(random, body)}0\r\n\r\n`),
    () =>
      sound(
        ["transfer-encoding: chunked", "trailer: x-end"],
        `${chunked(random, body)}0\r\nx-end: 1\r\nhost: evil.example\r\n\r\n`,
      ),
    () =>
      odd(["transfer-encoding: chunked"], `${chunked(random, body)}0\r\n${"x: y\r\n".repeat(random.below(3000))}\r\n`),
    () => odd(["transfer-encoding: chunked"], `5;a="b;c";${"x".repeat(random.below(20_000))}\r\nhello\r\n0\r\n\r\n`),
    () =>
      odd(
        ["transfer-encoding: chunked"],
        random.pick([
          "zz\r\n",
          "-1\r\n\r\n",
          "ffffffffffffffff\r\n",
          "5\r\nhel",
          "5\r\nhello!\r\n0\r\n\r\n",
          "\r\n",
          "0\r\n:\r\n\r\n",
        ]),
      ),
    () =>
      odd(
        [
          `transfer-encoding: ${random.pick(["gzip, chunked", "chunked, chunked", "identity", "xchunked", "chunked, gzip", "\tchunked", "\u00e7hunked", ""])}`,
        ],
        `${chunked(random, body)}0\r\n\r\n`,
      ),
    () => odd(["transfer-encoding: chunked", `content-length: ${length}`]),
    () =>
      odd([
        `content-length: ${random.pick(["-1", "+5", "0x5", "5, 5", "5 5", "1e3", "", "99999999999999999999", "NaN", "5;"])}`,
      ]),
    () => odd([`content-length: ${length}`, `content-length: ${length + 1}`]),
    () => odd([`content-length: ${length + 1 + random.below(2_000_000)}`]),
    () => odd([`content-length: ${Math.max(0, length - 1 - random.below(50))}`]),
    () => odd([]),
  ])()
}

const contentTypes = [
  ..."application/json text/plain multipart/form-data;boundary=b multipart/form-data multipart/mixed application/json;charset=utf-16".split(
    " ",
  ),
  "text/plain; application/json",
  "application/x-www-form-urlencoded",
  "application/octet-stream",
  'multipart/form-data; boundary="\u00ff"',
  "multipart/form-data; boundary=",
  "/",
  ";",
  "\u00ff",
  "",
]

const expectations = ["100-continue", "100-Continue", "100-continue, 100-continue", "200-ok", "", "x".repeat(300)]

export const hosts = [
  ..."a:99999 a:b [::1] [::1 [::1]:80 user@evil.example evil.example/path evil.example?x -.- \u00fc.example xn--".split(
    " ",
  ),
  "a b",
  "a\tb",
  "",
  "a,b",
  "%00",
  "a".repeat(5000),
]

/** Lines as they stand: names and values that mean something to somebody, or ought to mean nothing to anybody. */
const oddLines: ReadonlyArray<(random: Random) => string> = [
  (random) => `Expect: ${random.pick(expectations)}`,
  () => "Connection: close",
  () => "Connection: keep-alive, Upgrade",
  () => "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
  () =>
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13",
  (random) => `Connection: ${random.pick(["x", "close, close", "host", "transfer-encoding", "\u00ff"])}`,
  (random) =>
    `Range: ${random.pick(["bytes=0-", "bytes=5-", "bytes=-1", "bytes=9-1", "bytes=0-0,1-1", "bytes=99999999999999999999-", "lines=1-", "bytes="])}`,
  (random) => `Content-Digest: ${random.pick(["sha-256=:AAAA:", "sha-256=:", "x", "sha-256=:\u00ff:", "md5=:AA==:"])}`,
  (random) => `If-None-Match: ${random.pick(["*", '"a"', 'W/"a", "b"', "x", "\u00ff"])}`,
  (random) => `If-Modified-Since: ${random.pick(["Thu, 01 Jan 1970 00:00:00 GMT", "yesterday", "99999999999999"])}`,
  (random) => `If-Range: ${random.pick(['"a"', "Thu, 01 Jan 1970 00:00:00 GMT", "\u00ff"])}`,
  (random) =>
    `traceparent: ${random.pick(["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-0", "ff-x", "\u00ff"])}`,
  (random) => `Origin: ${random.pick(["null", "http://evil.example", "https://[::1", "\u00ff", ""])}`,
  (random) => `Sec-Fetch-Site: ${random.pick(["same-origin", "same-site", "cross-site", "none", "x", "\u00ff"])}`,
  (random) => `sluice-hook: ${random.pick(["callback", "error", "__proto__", "\u00ff"])}`,
  (random) =>
    `x-sluice-signature: ${random.pick(["hmac-sha256=00", "hmac-sha256=", `hmac-sha256=${"0".repeat(64)}`, ",".repeat(2000), "\u00ff"])}`,
  (random) => `x-sluice-api-key: ${random.pick(["", "sk_x", "x".repeat(9000), "\u00ff"])}`,
  (random) => `Authorization: Bearer ${random.pick(["", "x", "\u00ff"])}`,
  (random) => `x-forwarded-host: ${random.pick(["a b", "evil.example, \u00ff", "%", "[::1"])}`,
  (random) => `x-forwarded-proto: ${random.pick(["javascript", "https,,", "\u00ff"])}`,
  (random) => `Content-Encoding: ${random.pick(["gzip", "br, gzip", "x", "\u00ff"])}`,
  (random) => `Cookie: ${random.pick(["a=b", "%=%zz;;=", "\u00ff"])}\r\nCookie: c=d`,
  (random) => `__proto__: ${random.pick(["x", "\u00ff"])}\r\nconstructor: y\r\ntoString: z`,
  () => ":authority: evil.example",
  () => ":path: /\r\n:method: GET",
  () => "No-Colon",
  () => ": no-name",
  () => "Space Name: x",
  () => "Space-Before : x",
  () => " folded: x",
  () => "x-folded: a\r\n b\r\n\tc",
  () => "x-nul: a\0b",
  () => "x-control: \u0001\u0002\u007f",
  () => "x-bytes: \u0080\u00ff\u00c3\u00bc",
  () => "x-bare-cr: a\rb",
  () => "x-bare-lf: a\nb",
  (random) => `x-long: ${"x".repeat(random.below(30_000))}`,
  (random) => Array.from({ length: random.below(2500) }, (_, i) => `x-${i}: ${i}`).join("\r\n"),
  (random) => `${"n".repeat(1 + random.below(3000))}: x`,
]

/** Lines after which a parser may refuse the request, or the connection ends. */
const breaksFraming =
  /^(?:connection|expect|:|no-colon|space| folded|x-folded|x-nul|x-control|x-bare|x-long|x-0|x-sluice-api-key: xx|n)/i

export const createHeaders = (
  random: Random,
  { host, headers }: Surface,
  framing: ReadonlyArray<string>,
): { readonly lines: ReadonlyArray<string>; readonly isSound: boolean } => {
  const lines = [...framing]
  let isSound = true
  if (random.chance(0.93)) lines.unshift(`Host: ${host}`)
  else {
    isSound = false
    if (random.chance(0.8)) lines.unshift(`Host: ${random.pick(hosts)}`)
    if (random.chance(0.2)) lines.unshift(`Host: ${host}`)
  }
  if (random.chance(0.8)) {
    lines.push(`Content-Type: ${random.chance(0.5) ? "application/json" : random.pick(contentTypes)}`)
  }
  for (const [name, value] of headers) if (random.chance(0.4)) lines.push(`${name}: ${value}`)
  for (let count = random.chance(0.6) ? 0 : random.below(4); count > 0; count--) {
    const line = random.pick(oddLines)(random)
    if (line === "") continue
    if (breaksFraming.test(line)) isSound = false
    lines.splice(random.below(lines.length + 1), 0, line)
  }
  return { lines, isSound }
}
