import { type NextRequest, NextResponse } from "next/server"
import { cookieAttributes, createGuest, session } from "../showcase/session.ts"

/** Signs a new guest in, so that the page being asked for already knows who it is. */
export const proxy = (req: NextRequest): NextResponse => {
  if (req.cookies.has(session.cookie)) return NextResponse.next()
  const guest = createGuest()
  req.cookies.set(session.cookie, guest)
  const response = NextResponse.next({ request: { headers: req.headers } })
  response.cookies.set(session.cookie, guest, { ...cookieAttributes, maxAge: session.maxAge / 1000 })
  return response
}

// The page alone: what passes a proxy is held back up to a limit, and uploads are asked for elsewhere.
export const config = { matcher: "/" }
