export { createTexts, ar } from "../ui/languages/ar.ts"
