import { config as shared } from "../../../pages-router.ts"
export { handler as default } from "../../../pages-router.ts"
export const config = shared
