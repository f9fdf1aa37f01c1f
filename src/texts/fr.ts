export { createTexts, fr } from "../ui/languages/fr.ts"
