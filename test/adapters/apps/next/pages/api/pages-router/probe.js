import { toNodeListener } from "../../../../../../../adapters/node.ts"
import { probe } from "../../../../probe.ts"

export default toNodeListener(probe)
