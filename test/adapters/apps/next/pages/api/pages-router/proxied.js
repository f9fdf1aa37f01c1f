export { handler as default } from "../../../pages-router.ts"

export const config = { api: { bodyParser: false } }
