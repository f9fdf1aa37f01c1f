import { parse } from "content-disposition"
import { limits } from "../../protocol/limits.ts"

const encoder = new TextEncoder()

/** Control characters, and those that turn the direction of text: they make `exe.png` out of `gnp.exe`. */
const invisible = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Cut where a character ends, keeping an extension. */
const cutTo = (bytes: number, name: string): string => {
  const extension = /.\.([^.]{1,32})$/su.exec(name)?.[1]
  const end = extension === undefined ? "" : `.${extension}`
  let left = bytes - encoder.encode(end).length
  let cut = ""
  for (const character of name.slice(0, name.length - end.length)) {
    left -= encoder.encode(character).length
    if (left < 0) break
    cut += character
  }
  return cut + end
}

/** What is left of a name that somebody else chose once nothing in it can do harm; undefined when that is nothing. */
const cleanName = (text: string): string | undefined => {
  const name = text
    .toWellFormed()
    .replace(invisible, "")
    .replace(/^.*[/\\]/s, "")
    .trim()
  return name === "" || name === "." || name === ".." ? undefined : cutTo(limits.fileName, name)
}

/** Headers come byte for byte; many servers write UTF-8 into them. */
const readAsUtf8 = (header: string): string => {
  try {
    const bytes = Uint8Array.from(header, (character) => character.charCodeAt(0))
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return header
  }
}

const nameInHeader = (header: string | null): string | undefined => {
  if (header === null) return undefined
  try {
    return cleanName(parse(readAsUtf8(header)).parameters["filename"] ?? "")
  } catch {
    return undefined
  }
}

const nameInPath = ({ pathname }: URL): string | undefined => {
  const last = pathname.slice(pathname.lastIndexOf("/") + 1)
  try {
    return cleanName(decodeURIComponent(last))
  } catch {
    return cleanName(last)
  }
}

/**
 * What a fetched file is called: by `content-disposition`, else by the last part of the path, else "file". Without
 * folders and control characters.
 *
 * Units:  at most `limits.fileName` bytes of UTF-8.
 * Source: RFC 6266 §4.3.
 */
export const readRemoteName = (url: URL, headers: Headers): string =>
  nameInHeader(headers.get("content-disposition")) ?? nameInPath(url) ?? "file"
