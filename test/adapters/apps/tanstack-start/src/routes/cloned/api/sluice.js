import { createFileRoute } from "@tanstack/react-router"
import { createMiddleware } from "@tanstack/react-start"
import { handlers } from "../../../file-router.ts"

const readClone = createMiddleware().server(async ({ next, request }) => {
  await request.clone().text()
  return next()
})

export const Route = createFileRoute("/cloned/api/sluice")({ server: { middleware: [readClone], handlers } })
