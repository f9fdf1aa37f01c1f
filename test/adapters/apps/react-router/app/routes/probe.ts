import type { LoaderFunctionArgs } from "react-router"
import { probe } from "../../../../../../src/conformance/adapter/probe.ts"

export const loader = ({ request }: LoaderFunctionArgs): Response => probe(request)
