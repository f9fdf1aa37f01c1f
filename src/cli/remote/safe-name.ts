/** Bytes of UTF-8: with `.part.json` behind it, a name has to be one of at most 255. */
const longest = 200

/** What no name of a file on Windows may hold, and what a terminal would not show: controls, and turns of direction. */
const unsafe = /[<>:"|?*\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** Names of devices on Windows, whatever comes behind a dot. */
const devices = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\s*\.|\s*$)/i

/** Cuts a name at the end of a character, in front of its extension. */
const cut = (name: string): string => {
  if (Buffer.byteLength(name) <= longest) return name
  const extension = /.(\.[^.\s]{1,16})$/su.exec(name)?.[1] ?? ""
  let left = longest - Buffer.byteLength(extension)
  let kept = ""
  for (const character of name.slice(0, name.length - extension.length)) {
    left -= Buffer.byteLength(character)
    if (left < 0) break
    kept += character
  }
  return kept + extension
}

/**
 * Makes a name of a file in this folder of one that others chose: without folders, control characters, dots or a hyphen
 * at its front, and without what Windows takes for a device.
 *
 * @param otherwise where nothing is left of the name
 */
export const toSafeName = (name: string, otherwise: string): string => {
  const base = name.toWellFormed().replace(/^.*[/\\]/s, "")
  const visible = base
    .replace(unsafe, "_")
    .trim()
    .replace(/[. ]+$/, "")
  const plain = visible.replace(/^[.-]+/, (front) => "_".repeat(front.length))
  // Cut first: an end of the name may be a dot again.
  const short = cut(plain).replace(/[. ]+$/, "")
  if (short === "") return otherwise
  return devices.test(short) ? `_${short}` : short
}
