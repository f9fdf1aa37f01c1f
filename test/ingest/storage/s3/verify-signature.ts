/**
 * Verifies Signature Version 4 as a server of S3 does, by its description and with nothing of the client's code.
 *
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html and `sigv4-query-string-auth.html`
 */
import { createHash, createHmac } from "node:crypto"

/** A request as it arrived. */
export interface Arrived {
  readonly method: string
  /** Path and query, as they were sent. */
  readonly target: string
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>
}

/** Whom a server knows. */
export interface Account {
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  /** Whether its keys have ended. */
  readonly isExpired?: boolean | undefined
}

/** Why a server refuses a request. */
export interface Refused {
  readonly status: number
  readonly code: string
  readonly message: string
}

/** A request that is proven, and what it says of its body: a hash in hex, or nothing. */
export interface Proven {
  readonly payload: string | undefined
}

const refuse = (code: string, message: string, status = 403): Refused => ({ status, code, message })

const strictly = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => {
      const sign = String.fromCharCode(byte)
      return /[A-Za-z0-9._~-]/.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
    })
    .join("")

const hmac = (key: Buffer | string, text: string): Buffer => createHmac("sha256", key).update(text).digest()

const byOrder = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1)

/** `20130524T000000Z` as ms since the epoch. */
const readDate = (text: string): number =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"))

/** The signature that a request must have. Query parameters are given decoded. */
const signatureFor = (
  { method, target, headers }: Arrived,
  query: ReadonlyArray<readonly [string, string]>,
  signedHeaders: ReadonlyArray<string>,
  payload: string,
  date: string,
  scope: string,
  secret: string,
): string => {
  const path = strictly(decodeURIComponent(target.split("?")[0]!)).replaceAll("%2F", "/")
  const canonicalQuery = query
    .map(([name, value]) => [strictly(name), strictly(value)] as const)
    .toSorted(byOrder)
    .map((pair) => pair.join("="))
    .join("&")
  const canonicalHeaders = signedHeaders.map((name) => `${name}:${(headers[name] ?? "").trim()}\n`).join("")
  const canonical = [method, path, canonicalQuery, canonicalHeaders, signedHeaders.join(";"), payload].join("\n")
  const hashed = createHash("sha256").update(canonical).digest("hex")
  const key = scope.split("/").reduce<Buffer | string>(hmac, `AWS4${secret}`)
  return hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hashed}`).toString("hex")
}

/** @param now ms since the epoch, by the clock of the server */
export const verifySignature = (
  request: Arrived,
  accounts: Readonly<Record<string, Account>>,
  region: string,
  now: number,
): Proven | Refused => {
  const { headers, target } = request
  const query = (target.split("?")[1] ?? "")
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => pair.split("=").map((part) => decodeURIComponent(part)) as [string, string?])
    .map(([name, value = ""]) => [name, value] as const)
  const parameters = new Map(query)
  const isPresigned = parameters.has("X-Amz-Signature")
  const authorization = headers["authorization"]
  if (authorization === undefined && !isPresigned) return refuse("AccessDenied", "Access Denied")
  if (authorization !== undefined && isPresigned)
    return refuse("InvalidArgument", "Only one auth mechanism allowed", 400)

  const fields = new Map(
    [...(authorization ?? "").matchAll(/(Credential|SignedHeaders|Signature)=([^\s,]+)/g)].map(([, name, value]) => [
      name!,
      value!,
    ]),
  )
  const field = (name: string): string => fields.get(name) ?? parameters.get(`X-Amz-${name}`) ?? ""
  const [accessKeyId = "", ...scopeParts] = field("Credential").split("/")
  const scope = scopeParts.join("/")
  const date = (isPresigned ? parameters.get("X-Amz-Date") : headers["x-amz-date"]) ?? ""
  if (scope !== `${date.slice(0, 8)}/${region}/s3/aws4_request`) {
    return refuse("AuthorizationHeaderMalformed", `The scope is not of the region ${region}`, 400)
  }
  const account = accounts[accessKeyId]
  if (account === undefined) return refuse("InvalidAccessKeyId", "The Access Key Id you provided does not exist")
  if (account.isExpired === true) return refuse("ExpiredToken", "The provided token has expired.", 400)
  const token = isPresigned ? parameters.get("X-Amz-Security-Token") : headers["x-amz-security-token"]
  if (token !== account.sessionToken) return refuse("InvalidToken", "The provided token is malformed", 400)

  const signedHeaders = field("SignedHeaders").split(";")
  const unsigned = Object.keys(headers).filter((name) => name.startsWith("x-amz-") && !signedHeaders.includes(name))
  if (!signedHeaders.includes("host") || unsigned.length > 0) {
    return refuse("AccessDenied", `There were headers present in the request which were not signed: ${unsigned.join()}`)
  }
  const declared = headers["x-amz-content-sha256"]
  if (!isPresigned && declared === undefined) {
    return refuse("InvalidRequest", "Missing required header for this request: x-amz-content-sha256", 400)
  }
  const payload = declared ?? "UNSIGNED-PAYLOAD"
  const others = query.filter(([name]) => name !== "X-Amz-Signature")
  const expected = signatureFor(request, others, signedHeaders, payload, date, scope, account.secretAccessKey)
  if (field("Signature") !== expected) {
    return refuse("SignatureDoesNotMatch", "The request signature we calculated does not match the one you provided.")
  }

  const age = now - readDate(date)
  const lifetime = Number(parameters.get("X-Amz-Expires")) * 1000
  if (!isPresigned && !(Math.abs(age) <= 15 * 60_000)) {
    return refuse("RequestTimeTooSkewed", "The difference between the request time and the current time is too large.")
  }
  if (isPresigned && !(lifetime > 0 && lifetime <= 604_800_000)) {
    return refuse("AuthorizationQueryParametersError", "X-Amz-Expires must be between 1 and a week", 400)
  }
  if (isPresigned && !(age >= -15 * 60_000 && age < lifetime)) return refuse("AccessDenied", "Request has expired")
  return { payload: payload === "UNSIGNED-PAYLOAD" ? undefined : payload }
}
