/** `=`, `+` and the like: unescaped, percent-encoded once, or more often. */
const orEncoded = (plain: string, hex: string) => `(?:${plain}|%(?:25)*(?:${hex}))`

/** Where a word begins, also after an escape of percent-encoding (`%22sk_…`) or JSON (`\nsk_…`). */
const start = String.raw`(?:(?<![A-Za-z0-9])|(?<=%(?:25)*[0-9A-Fa-f]{2}|(?:\\|%(?:25)*5C)(?:[bfnrt]|u[0-9A-Fa-f]{4})))`

const keyPattern = new RegExp(`${start}sk_${orEncoded("[\\w.~+/=-]", "2[BF]|3D|7E")}+`, "g")
const webhookSecretPattern = new RegExp(`${start}whsec_${orEncoded("[\\w+/-]", "2[BF]")}+${orEncoded("=", "3D")}*`, "g")
const tokenPattern = new RegExp(
  // base64 of a JSON object's first characters: `{"`, `{ `, `{` and a line end or tab
  `${start}e(?:y[JA]|w[o0k])${orEncoded("[\\w+/-]", "2[BF]")}{20,}${orEncoded("=", "3D")}*`,
  "g",
)
const signaturePattern = new RegExp(`hmac-sha256(${orEncoded("=", "3D")})[0-9a-f]+`, "gi")
const webhookPattern = new RegExp(
  `${start}v1(${orEncoded(",", "2C")})${orEncoded("[\\w+/-]", "2[BF]")}{43}${orEncoded("=", "3D")}`,
  "g",
)
/** The grant of a signed prefix, a segment of a path: base64url of at least 54 bytes, of which the first is its version, 1. */
const grantPattern = new RegExp(`(${orEncoded("/", "2[Ff]")})A[Q-Za-f][\\w-]{70,}`, "g")

/** Removes secrets that reached a log entry after all: API keys, tokens, signatures and grants. The last line of defence. */
export const redact = (text: string): string =>
  text
    .replace(keyPattern, "sk_<redacted>")
    .replace(webhookSecretPattern, "whsec_<redacted>")
    .replace(signaturePattern, "hmac-sha256$1<redacted>")
    .replace(/(signature["']?\s*[=:]\s*["']?)[0-9a-f]{16,}/gi, "$1<redacted>")
    .replace(grantPattern, "$1<redacted>")
    .replace(webhookPattern, "v1$1<redacted>")
    .replace(tokenPattern, "<redacted>")
