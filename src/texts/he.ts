export { createTexts, he } from "../ui/texts/languages/he.ts"
