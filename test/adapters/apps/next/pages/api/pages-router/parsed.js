export { handler as default } from "../../../pages-router.ts"
