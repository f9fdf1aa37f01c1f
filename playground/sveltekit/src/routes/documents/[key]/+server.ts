import { error } from "@sveltejs/kit"
import { signDocument } from "../../../../../showcase/sign-document.ts"
import type { RequestHandler } from "./$types"

export const GET: RequestHandler = async ({ locals, params }) => {
  const location = await signDocument(locals.guest, params.key)
  if (location === undefined) error(404, "You have no such document.")
  return new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } })
}
