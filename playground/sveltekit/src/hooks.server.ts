import type { Handle } from "@sveltejs/kit/hooks"
import { cookieAttributes, createGuest, session } from "../../showcase/session.ts"

/** Signs a new guest in. */
export const handle: Handle = ({ event, resolve }) => {
  event.locals.guest = event.cookies.get(session.cookie) ?? createGuest()
  // The ingest and scripts call without cookies; only a page is somebody's.
  if (event.route.id === "/") {
    event.cookies.set(session.cookie, event.locals.guest, { ...cookieAttributes, maxAge: session.maxAge / 1000 })
  }
  return resolve(event)
}
