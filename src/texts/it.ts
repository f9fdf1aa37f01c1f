export { createTexts, it } from "../ui/texts/languages/it.ts"
