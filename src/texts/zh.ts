export { createTexts, zh } from "../ui/languages/zh.ts"
