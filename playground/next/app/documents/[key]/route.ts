import { cookies } from "next/headers"
import { session } from "../../../../showcase/session.ts"
import { signDocument } from "../../../../showcase/sign-document.ts"

export const GET = async (_request: Request, { params }: RouteContext<"/documents/[key]">): Promise<Response> => {
  const { key } = await params
  const guest = (await cookies()).get(session.cookie)?.value
  const location = await signDocument(guest, key)
  if (location === undefined) return new Response("You have no such document.\n", { status: 404 })
  return new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } })
}
