import { toNodeListener } from "../../../../../../../adapters/node.ts"
import { probe } from "../../../../../../../src/conformance/adapter/probe.ts"

export default toNodeListener(probe)
