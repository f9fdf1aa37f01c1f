export { createTexts, pt } from "../ui/languages/pt.ts"
