export { handler as default } from "../router.ts"
