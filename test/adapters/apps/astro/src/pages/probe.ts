import type { APIRoute } from "astro"
import { probe } from "../../../../../../src/conformance/adapter/probe.ts"

export const prerender = false

export const GET: APIRoute = ({ request }) => probe(request)
