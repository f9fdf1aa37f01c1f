import { createSluice, type FileRouter, UploadError } from "sluice/sveltekit"
import { createRoutes } from "../../../../showcase/routes.ts"
import { session } from "../../../../showcase/session.ts"

export const router = createRoutes(createSluice(), ({ event }) => {
  const guest = event.cookies.get(session.cookie)
  if (guest === undefined) throw new UploadError("Open the page first.")
  return guest
}) satisfies FileRouter
