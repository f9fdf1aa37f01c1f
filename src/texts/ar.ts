export { createTexts, ar } from "../ui/texts/languages/ar.ts"
