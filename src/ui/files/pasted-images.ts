import type { UploadTexts } from "../texts/upload-texts.ts"

/** ms. A copied image is as old as the paste; a file of that name from a disk is older. */
const fresh = 60_000

let last = ""
let count = 0

/** Gives images from the clipboard, all of which are called `image.png`, distinct names. */
export const nameImages = (files: ReadonlyArray<File>, texts: UploadTexts): ReadonlyArray<File> =>
  files.map((file) => {
    const { type, lastModified } = file
    const extension = /^image(\.\w+)$/.exec(file.name)?.[1]
    if (extension === undefined || Date.now() - lastModified > fresh) return file
    const name = texts.pastedImage(new Date())
    count = name === last ? count + 1 : 1
    last = name
    return new File([file], `${name}${count > 1 ? ` (${count})` : ""}${extension}`, { type, lastModified })
  })
