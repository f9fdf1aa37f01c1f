export { createTexts, es } from "../ui/texts/languages/es.ts"
