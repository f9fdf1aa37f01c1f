/** The demo's way of signing in: whoever comes is a guest, and the guest's id is the secret in the cookie. */
export const session = {
  cookie: "playground-guest",
  /** ms. */
  maxAge: 30 * 24 * 60 * 60 * 1000,
} as const

/** A cookie that no script of a page can read. `secure` is for sites: this one is `http://localhost`. */
export const cookieAttributes = { path: "/", httpOnly: true, sameSite: "lax", secure: false } as const

export const createGuest = (): string => crypto.randomUUID()

/** What a guest is called where others may see it. */
export const nameGuest = (guest: string): string => `guest ${guest.slice(0, 6)}`
