export { probe as GET } from "../../../../../../src/conformance/adapter/probe.ts"
