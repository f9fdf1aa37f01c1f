import type { APIEvent } from "@solidjs/start/server"
import { probe } from "../../../../../../src/conformance/adapter/probe.ts"

export const GET = ({ request }: APIEvent): Response => probe(request)
