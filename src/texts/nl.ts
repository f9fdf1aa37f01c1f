export { createTexts, nl } from "../ui/texts/languages/nl.ts"
