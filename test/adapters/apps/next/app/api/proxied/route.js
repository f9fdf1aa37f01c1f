export { GET, POST } from "../../../router.ts"
