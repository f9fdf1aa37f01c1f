import type { Request } from "express"
import { createSluice, type FileRouter, UploadError } from "sluice/express"
import { createRoutes } from "../showcase/routes.ts"
import { session } from "../showcase/session.ts"

/** Who asks, by the cookie; Express reads none itself. */
export const readGuest = (req: Request): string | undefined =>
  new RegExp(`(?:^|; )${session.cookie}=([\\w-]+)`).exec(req.headers.cookie ?? "")?.[1]

export const router = createRoutes(createSluice(), ({ req }) => {
  const guest = readGuest(req)
  if (guest === undefined) throw new UploadError("Open the page first.")
  return guest
}) satisfies FileRouter
