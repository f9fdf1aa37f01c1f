import { SignatureV4 } from "@smithy/signature-v4"
import type { BucketAddress } from "./address.ts"
import type { S3Credentials } from "./s3-settings.ts"
import { Sha256 } from "./sha256.ts"

const payloadHeader = "x-amz-content-sha256"

/** What is signed of a request. */
export interface Unsigned {
  readonly method: string
  /** Undefined: the bucket itself. */
  readonly key?: string | undefined
  readonly query?: Readonly<Record<string, string>> | undefined
  /** Names in small letters. All are signed. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Signs requests of one bucket. Times are ms since the epoch. */
export interface S3Signer {
  /** The headers to send, `host` left out. `payload` is the SHA-256 of the body in hex. */
  readonly sign: (
    request: Unsigned,
    payload: string,
    credentials: S3Credentials,
    at: number,
  ) => Promise<Record<string, string>>
  /** A query that carries the signature, for whoever has the URL, for `expiresIn` seconds. */
  readonly presign: (
    request: Unsigned,
    expiresIn: number,
    credentials: S3Credentials,
    at: number,
  ) => Promise<Readonly<Record<string, string>>>
}

/**
 * Signature Version 4, by the library that the AWS SDK itself signs with (docs/decisions/080).
 *
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
 */
export const createS3Signer = ({ origin, host, toPath }: BucketAddress, region: string): S3Signer => {
  let last: { readonly credentials: S3Credentials; readonly signature: SignatureV4 } | undefined
  const signatureOf = (credentials: S3Credentials): SignatureV4 => {
    if (last?.credentials !== credentials) {
      const { accessKeyId, secretAccessKey, sessionToken } = credentials
      const identity = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
      const signature = new SignatureV4({
        credentials: identity,
        region,
        service: "s3",
        sha256: Sha256,
        // A key's path is encoded once, unlike those of other services.
        uriEscapePath: false,
        applyChecksum: false,
      })
      last = { credentials, signature }
    }
    return last.signature
  }
  const [protocol = "", hostname = ""] = origin.split("//")
  const toRequest = ({ method, key, query = {} }: Unsigned, headers: Record<string, string>) => ({
    method,
    protocol,
    hostname,
    path: toPath(key),
    query: { ...query },
    headers,
  })

  return {
    sign: async (request, payload, credentials, at) => {
      const unsigned = toRequest(request, { host, ...request.headers, [payloadHeader]: payload })
      const { headers } = await signatureOf(credentials).sign(unsigned, { signingDate: new Date(at) })
      delete headers["host"]
      return headers
    },
    presign: async (request, expiresIn, credentials, at) => {
      const { headers = {} } = request
      const isBound = payloadHeader in headers
      // Whoever sends it says nothing of the payload, where none was named; the name of "nothing" is signed all the same.
      const all = { host, ...headers, ...(!isBound && { [payloadHeader]: "UNSIGNED-PAYLOAD" }) }
      const { query = {} } = await signatureOf(credentials).presign(toRequest(request, all), {
        expiresIn,
        signingDate: new Date(at),
        unhoistableHeaders: new Set(Object.keys(all)),
        ...(!isBound && { unsignableHeaders: new Set([payloadHeader]) }),
      })
      return query as Record<string, string>
    },
  }
}
