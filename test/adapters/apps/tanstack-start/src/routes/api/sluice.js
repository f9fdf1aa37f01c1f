import { createFileRoute } from "@tanstack/react-router"
import { handlers } from "../../file-router.ts"

export const Route = createFileRoute("/api/sluice")({ server: { handlers } })
