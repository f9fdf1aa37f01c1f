import type { PictureTexts } from "../../avatar/picture-texts.ts"
import type { LanguageFormats } from "./language-formats.ts"
import type { LanguageWords } from "./language-words.ts"
import { sayWords } from "./say-words.ts"

/** The texts of an avatar and its crop, in the words of a language. */
export const createLanguagePicture = ({ picture }: LanguageWords, formats: LanguageFormats): PictureTexts => ({
  ...sayWords(picture, formats),
  zoomed: formats.percent,
  moved: (across, down) =>
    formats.fill(picture.moved, { across: formats.percent(across), down: formats.percent(down) }),
})
