import { probe } from "../../../../../../../src/conformance/adapter/probe.ts"

export const GET = ({ request }: { readonly request: Request }): Response => probe(request)
