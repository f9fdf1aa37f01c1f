import { ar } from "../../../src/texts/ar.ts"
import { de } from "../../../src/texts/de.ts"
import { he } from "../../../src/texts/he.ts"
import { ja } from "../../../src/texts/ja.ts"

const languages = { ar, de, he, ja }

/** `language=de`: what the components on the page speak, if not English. */
const language = new URLSearchParams(location.search).get("language")
if (language !== null) {
  window.language = languages[language as keyof typeof languages]
  document.documentElement.lang = language
  document.documentElement.dir = ["ar", "he"].includes(language) ? "rtl" : "ltr"
}
