export { createTexts, zh } from "../ui/texts/languages/zh.ts"
