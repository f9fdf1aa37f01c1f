export { createTexts, he } from "../ui/languages/he.ts"
