/** Which code of the app is called: `middleware`, and the route's slug. */
export interface UserCode {
  readonly hook: string
  readonly slug: string
}

/** How much is logged of a text that somebody else wrote, characters. */
const longest = 300

/** What the log has of something that was thrown. */
export interface ThrownDescription {
  readonly message: string
  readonly details: object
}

interface HttpAnswer {
  readonly status: number
  readonly location: string | undefined
}

const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text)

/** An address without what may be secret in it: credentials, query and fragment. */
const toPlace = (location: unknown): string | undefined =>
  typeof location === "string"
    ? cut(location.replace(/[?#].*$/s, "").replace(/^([a-z][a-z\d+.-]*:)?\/\/[^/]*@/i, "$1//"))
    : undefined

/**
 * An answer or a redirect, which several frameworks let their code throw: a `Response`, as in React Router and TanStack; the
 * objects of SvelteKit; the errors of Next.js.
 */
const toHttpAnswer = (thrown: object): HttpAnswer | undefined => {
  const { status, headers, location, digest } = thrown as Readonly<Record<string, unknown>>
  const [, place, code] = /^NEXT_REDIRECT;\w*;(.*);(\d{3});$/s.exec(typeof digest === "string" ? digest : "") ?? []
  if (place !== undefined) return { status: Number(code), location: toPlace(place) }
  if (thrown instanceof Error || typeof status !== "number") return undefined
  const found = location ?? (headers as Partial<Headers> | undefined)?.get?.("location")
  // Errors of others have a status, too; what a page would be sent has headers, a place or a body.
  const isAnswer = headers !== undefined || location !== undefined || "body" in thrown
  return isAnswer ? { status, location: toPlace(found) } : undefined
}

const adviceFor = (status: number, hook: string): string => {
  const code = status === 403 ? "FORBIDDEN" : "UNAUTHORIZED"
  return hook === "middleware" && (status < 400 || status === 401 || status === 403)
    ? `Nobody follows it: throw new UploadError({ code: "${code}", message: "Sign in first." }) instead, and let the page go on from there.`
    : "Nobody reads it: throw an Error, or an UploadError with words for the user."
}

/** The parts that say what went wrong; of the others, which may be secrets, only the names. */
const describeObject = (thrown: object): object => {
  const texts = ["name", "message", "code", "status"].flatMap((name) => {
    const value = (thrown as Readonly<Record<string, unknown>>)[name]
    const isShown = typeof value === "string" || typeof value === "number"
    return isShown ? [[name, typeof value === "string" ? cut(value) : value] as const] : []
  })
  const others = Object.keys(thrown).filter((key) => !texts.some(([name]) => name === key))
  return {
    type: thrown.constructor?.name ?? "Object",
    ...Object.fromEntries(texts),
    ...(others.length > 0 && { others: cut(others.join(", ")) }),
  }
}

const describe = ({ hook, slug }: UserCode, thrown: unknown): ThrownDescription => {
  const place = `${hook} of route ${JSON.stringify(slug)} threw`
  if (typeof thrown === "object" && thrown !== null) {
    const answer = toHttpAnswer(thrown)
    if (answer !== undefined) {
      const { status, location } = answer
      const what = location === undefined ? `an answer with status ${status}` : `a redirect to ${location} (${status})`
      return { message: `${place} ${what}. ${adviceFor(status, hook)}`, details: {} }
    }
    if (!(thrown instanceof Error)) {
      return { message: `${place} an object that is no error.`, details: { thrown: describeObject(thrown) } }
    }
    // What the log is about to read may throw, too.
    void [thrown.name, thrown.message, thrown.stack, thrown.cause]
    return { message: `${place} an error.`, details: thrown }
  }
  const text = typeof thrown === "function" ? `function ${thrown.name}` : String(thrown)
  return { message: `${place} a value that is no error.`, details: { thrown: cut(text) } }
}

/** Says what code of the app has thrown, and what it had better throw. Fails: never, whatever an object does when it is read. */
export const describeThrown = (code: UserCode, thrown: unknown): ThrownDescription => {
  try {
    return describe(code, thrown)
  } catch {
    return describe(code, "an object that cannot be read")
  }
}
