/** Nouns for media types that are known by another name; `x-` and `vnd.` left out. */
const usual: ReadonlyArray<readonly [type: RegExp, noun: string]> = [
  [/msword|wordprocessingml/, "Word document"],
  [/ms-excel$|spreadsheetml/, "Excel sheet"],
  [/ms-powerpoint$|presentationml/, "PowerPoint presentation"],
  [/oasis\.open/, "OpenDocument file"],
  [/audio\/mpeg$|\/mp3$/, "MP3 file"],
  [/audio\/mp4$|\/m4a$/, "M4A file"],
  [/\/webp$/, "WebP image"],
  [/video\/webm/, "WebM video"],
  [/\/quicktime/, "MOV video"],
  [/\/matroska$/, "MKV video"],
  [/\/plain/, "text file"],
  [/\/markdown/, "Markdown file"],
  [/octet-stream/, "binary file"],
]

/** `application/zip-compressed` → `zip`. */
const archive = /\/(g?zip|tar|7z|rar)(?:-compressed)?$/

/** For each family: its noun, and what follows the short name of a type. */
const families: Readonly<Record<string, string>> = {
  image: "image",
  video: "video",
  font: "font",
  model: "3D model",
}

/**
 * The noun for one file of a media type: `image/svg+xml` → `SVG image`, `application/json` → `JSON file`. Names that
 * only machines read are left out: `application/vnd.acme.very-special-format` → `special file`.
 */
export const toTypeNoun = (type: string): string => {
  const kind = type.toLowerCase().replace(/\/(?:x-|vnd\.)/, "/")
  const [family = "", subtype = ""] = kind.split("/")
  const known = usual.find(([type]) => type.test(kind))
  if (known !== undefined) return known[1]
  const packed = archive.exec(kind)
  if (packed !== null) return `${packed[1]!.toUpperCase()} archive`
  const short = subtype.replace(/\+\w+$/, "").toUpperCase()
  const noun = families[family] ?? "file"
  return `${/^[\w-]{1,12}$/.test(short) ? short : "special"} ${noun}`
}
