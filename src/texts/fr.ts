export { createTexts, fr } from "../ui/texts/languages/fr.ts"
