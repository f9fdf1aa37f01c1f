export { createTexts, nl } from "../ui/languages/nl.ts"
