import { createFileRoute } from "@tanstack/react-router"
import { probe } from "../../../../../../src/conformance/adapter/probe.ts"

export const Route = createFileRoute("/probe")({
  server: { handlers: { GET: ({ request }) => probe(request) } },
})
