import { UploadError } from "../../protocol/errors/upload-error.ts"

/** A URL for messages: without its query and its credentials, which may be secrets. */
export const describeUrl = (url: URL | string): string => {
  const text = url instanceof URL ? url.origin + url.pathname : url.replace(/[?#].*$/s, "").replace(/^.*@/s, "")
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/**
 * Reads the URL of a file.
 *
 * Fails: throws BAD_REQUEST for anything but an http(s) URL, and for one with a user or a password in it.
 *
 * @param base the URL that redirected to this one
 */
export const parseRemoteUrl = (text: string | URL, base?: URL): URL => {
  const refuse = (message: string) => new UploadError({ code: "BAD_REQUEST", message })
  const url = URL.parse(String(text), base)
  if (url === null) {
    throw refuse(
      `"${describeUrl(String(text))}" is not a URL. Give one with its scheme, such as https://example.com/a.png.`,
    )
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw refuse(`${describeUrl(String(text))} cannot be fetched, only URLs of http and https can. Check it.`)
  }
  if (url.username !== "" || url.password !== "") {
    throw refuse(
      `The URL ${describeUrl(url)} has a user or a password in it. Send them by \`headers\`, as authorization.`,
    )
  }
  return url
}
