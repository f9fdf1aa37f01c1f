import { defineEventHandler, toWebRequest } from "#imports"
import { probe } from "../../../../../../src/conformance/adapter/probe.ts"

export default defineEventHandler((event) => probe(toWebRequest(event)))
