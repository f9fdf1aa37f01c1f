import { defineEventHandler, toWebRequest } from "#imports"
import { probe } from "../../../probe.ts"

export default defineEventHandler((event) => probe(toWebRequest(event)))
