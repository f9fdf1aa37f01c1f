import { createFileRoute } from "@tanstack/react-router"
import { probe } from "../../../probe.ts"

export const Route = createFileRoute("/probe")({
  server: { handlers: { GET: ({ request }) => probe(request) } },
})
