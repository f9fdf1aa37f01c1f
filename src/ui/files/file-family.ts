/** The family of a file, for the tile that is shown where there is no picture of it. */
export type FileFamily = "image" | "video" | "audio" | "document" | "archive" | "code" | "other"

/** By media type, otherwise by extension. The first match counts. */
const families: ReadonlyArray<readonly [FileFamily, RegExp]> = [
  ["image", /^(image\/.*|heic|heif|avif|jxl|jpe?g|png|gif|webp|svg|bmp|ico|tiff?|psd|ai|eps|raw|dng|cr[23]|nef|arw)$/],
  ["video", /^(video\/.*|mp4|m4v|mov|mkv|webm|avi|wmv|mpe?g)$/],
  ["audio", /^(audio\/.*|mp3|m4a|aac|wav|flac|ogg|opus|aiff?|midi?)$/],
  ["archive", /^(application\/(.*zip.*|x-tar|x-7z.*|.*rar.*)|zip|rar|7z|t?gz|tar|bz2|xz|zst|dmg|iso)$/],
  ["code", /^([cm]?[jt]sx?|json|html?|css|py|rb|go|rs|c|h|cpp|cs|java|kt|swift|php|sh|sql|xml|ya?ml|toml|vue|svelte)$/],
  [
    "document",
    /^(text\/.*|application\/(pdf|msword|rtf|vnd\..*)|pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|txt|md|csv|pages|epub)$/,
  ],
]

/** `archive.tar.gz` → `gz`; empty where a name has none: `Makefile`, `.env`, `Minutes of 3.2.2024`. */
export const toExtension = (name: string): string => /.\.(?=\d?[a-z])(\w{1,12})$/i.exec(name)?.[1]?.toLowerCase() ?? ""

/** The family of a file by its media type and name. */
export const toFamily = (name: string, type: string): FileFamily => {
  const extension = toExtension(name)
  // Browsers treat code as text, and TypeScript as a film: for those the extension says more.
  const isOf = ([family, pattern]: (typeof families)[number]) =>
    pattern.test(extension) || (family !== "code" && pattern.test(type) && !families[4]![1].test(extension))
  return families.find(isOf)?.[0] ?? "other"
}
