export { createTexts, ja } from "../ui/texts/languages/ja.ts"
