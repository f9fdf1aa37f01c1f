export const prerender = false

export { GET, POST } from "../../router.ts"
