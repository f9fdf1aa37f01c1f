export { createTexts, pl } from "../ui/texts/languages/pl.ts"
