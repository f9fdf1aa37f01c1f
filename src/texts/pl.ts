export { createTexts, pl } from "../ui/languages/pl.ts"
