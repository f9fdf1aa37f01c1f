export { GET, POST } from "../../api/sluice.ts"
