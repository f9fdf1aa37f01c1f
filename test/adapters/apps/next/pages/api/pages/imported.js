export { config, handler as default } from "../../../pages-router.ts"
