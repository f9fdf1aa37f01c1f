export { createTexts, ko } from "../ui/languages/ko.ts"
