export { createTexts, pt } from "../ui/texts/languages/pt.ts"
