import { createSluice, type FileRouter, UploadError } from "sluice/next"
import { createRoutes } from "../../../../showcase/routes.ts"
import { session } from "../../../../showcase/session.ts"

export const router = createRoutes(createSluice(), ({ req }) => {
  const guest = req.cookies.get(session.cookie)?.value
  if (guest === undefined) throw new UploadError("Open the page first.")
  return guest
}) satisfies FileRouter
