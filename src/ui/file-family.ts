/** What kind of thing a file is, for the tile that stands where there is no picture of it. */
export type FileFamily = "image" | "video" | "audio" | "document" | "archive" | "code" | "other"

/** By media type, else by extension. The first that fits counts. */
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
  // Code is text to browsers, and TypeScript a film: of those the extension says more.
  const isOf = ([family, pattern]: (typeof families)[number]) =>
    pattern.test(extension) || (family !== "code" && pattern.test(type) && !families[4]![1].test(extension))
  return families.find(isOf)?.[0] ?? "other"
}
