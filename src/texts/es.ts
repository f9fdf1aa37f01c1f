export { createTexts, es } from "../ui/languages/es.ts"
