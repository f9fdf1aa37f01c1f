export { probe as GET } from "../../../probe.ts"
