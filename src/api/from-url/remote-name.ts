import { parse } from "content-disposition"
import { limits } from "../../protocol/limits.ts"

const encoder = new TextEncoder()

/** Control characters, and those that change the direction of text: they make `gnp.exe` look like `exe.png`. */
const invisible = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Cuts a name at the end of a character, keeping its extension. */
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

/** What remains of a foreign name without harmful parts; undefined when nothing does. */
const cleanName = (text: string): string | undefined => {
  const name = text
    .toWellFormed()
    .replace(invisible, "")
    .replace(/^.*[/\\]/s, "")
    .trim()
  return name === "" || name === "." || name === ".." ? undefined : cutTo(limits.fileName, name)
}

/** Headers are read byte for byte; many servers write UTF-8 into them. */
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
 * The name of a fetched file: from `content-disposition`, otherwise the last part of the path, otherwise "file".
 * Without folders and control characters.
 *
 * Units:  at most `limits.fileName` bytes of UTF-8.
 * Source: RFC 6266 §4.3.
 */
export const readRemoteName = (url: URL, headers: Headers): string =>
  nameInHeader(headers.get("content-disposition")) ?? nameInPath(url) ?? "file"
