import { getCookie } from "hono/cookie"
import { createSluice, type FileRouter, UploadError } from "sluice/hono"
import { createRoutes } from "../showcase/routes.ts"
import { session } from "../showcase/session.ts"

export const router = createRoutes(createSluice(), ({ c }) => {
  const guest = getCookie(c, session.cookie)
  if (guest === undefined) throw new UploadError("Open the page first.")
  return guest
}) satisfies FileRouter
