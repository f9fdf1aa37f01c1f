import { names } from "../../protocol/names.ts"

/** First segments of the ingest's addresses that have more behind them. */
const ownFolders: ReadonlySet<string> = new Set(
  (["file", "appFile", "prefix", "heldFile", "verdict", "api"] as const).map((name) => names.path[name]),
)

/**
 * The URL at which everybody reaches the ingest, without a slash at its end.
 *
 * Fails: throws a `TypeError`, INVALID_CONFIG.
 */
export const parsePublicUrl = (url: string): string => {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new TypeError("INVALID_CONFIG: the ingest's url is not an http(s) URL.")
  }
  const { username, password, pathname } = new URL(url)
  if (username + password !== "") {
    throw new TypeError("INVALID_CONFIG: the ingest's url has a user or a password in it, and the url is public.")
  }
  const base = pathname.replace(/^\/|\/+$/g, "")
  if (ownFolders.has(base)) {
    throw new TypeError(
      `INVALID_CONFIG: the ingest's url has the path /${base}, below which the ingest has addresses of its own: behind a proxy that removes the path they could not be told apart. Choose another one.`,
    )
  }
  return url.replace(/\/+$/, "")
}
