export { createTexts, de } from "../ui/texts/languages/de.ts"
