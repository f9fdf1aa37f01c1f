import type { S3Settings } from "./s3-settings.ts"

/** Percent-encodes as S3 signs: everything but `A-Z a-z 0-9 - . _ ~`. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** `?a=1&b=` of a query, or nothing. */
export const toSearch = (query: Readonly<Record<string, string>>): string => {
  const pairs = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(value)}`)
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`
}

/** Where requests of a bucket go. */
export interface BucketAddress {
  /** `https://host:port`, with the bucket's name where it belongs to the host. */
  readonly origin: string
  /** `host:port`, as it is signed and sent. */
  readonly host: string
  /** The encoded path of a key, or of the bucket itself. Fails: throws a TypeError for keys that a URL cannot carry. */
  readonly toPath: (key: string | undefined) => string
}

/** URLs are changed on their way where a part of the path is one of these, encoded or not. */
const isDotted = (key: string): boolean => key.split("/").some((part) => part === "." || part === "..")

/** An IP address has no subdomains. */
const isAddress = (hostname: string): boolean => /^\[|^\d+(\.\d+){3}$/.test(hostname)

/**
 * Reads where a bucket is.
 *
 * Fails: throws a TypeError that says what is wrong, without what may be secret in it.
 */
export const toBucketAddress = ({
  endpoint,
  bucket,
  addressing,
}: Pick<S3Settings, "addressing" | "bucket" | "endpoint">): BucketAddress => {
  if (!URL.canParse(endpoint)) throw new TypeError("The endpoint of S3 is no URL.")
  const url = new URL(endpoint)
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new TypeError(`The endpoint of S3 must begin with https:// or http://, not ${url.protocol}//`)
  }
  if (url.username + url.password + url.search + url.hash !== "") {
    throw new TypeError("The endpoint of S3 must have no user, password, query or fragment.")
  }
  if (!/^[\w.:-]+$/.test(bucket) || isDotted(bucket)) throw new TypeError("The name of the S3 bucket is none.")
  const isVirtual = addressing === "virtual-host"
  if (isVirtual && isAddress(url.hostname)) {
    throw new TypeError("An S3 endpoint that is an IP address can only be addressed by path.")
  }
  const host = isVirtual ? `${bucket}.${url.host}` : url.host
  const base = url.pathname.replace(/\/+$/, "") + (isVirtual ? "" : `/${encode(bucket)}`)
  return {
    origin: `${url.protocol}//${host}`,
    host,
    toPath: (key) => {
      if (key === undefined) return base === "" || isVirtual ? `${base}/` : base
      if (key === "" || isDotted(key)) throw new TypeError("A key of S3 must not be empty or have . or .. as a part.")
      return `${base}/${key.split("/").map(encode).join("/")}`
    },
  }
}
