export { createTexts, de } from "../ui/languages/de.ts"
