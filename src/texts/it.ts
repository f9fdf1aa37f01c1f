export { createTexts, it } from "../ui/languages/it.ts"
