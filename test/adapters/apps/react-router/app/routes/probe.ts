import type { LoaderFunctionArgs } from "react-router"
import { probe } from "../../../probe.ts"

export const loader = ({ request }: LoaderFunctionArgs): Response => probe(request)
