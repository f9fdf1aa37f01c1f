export { createTexts, ko } from "../ui/texts/languages/ko.ts"
