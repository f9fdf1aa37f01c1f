import { probe } from "../../../../probe.ts"

export const GET = ({ request }: { readonly request: Request }): Response => probe(request)
