export { GET, POST } from "../../../src/router.ts"
