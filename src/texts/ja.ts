export { createTexts, ja } from "../ui/languages/ja.ts"
