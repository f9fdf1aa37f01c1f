/** An origin that answers, on a real socket. */
export interface Served {
  readonly origin: string
  readonly close: () => Promise<void>
}

/** What a runtime has of its own to offer. */
export interface Runtime {
  /** Listens on a free port of the loopback interface as programs of this runtime do. */
  readonly serve?: (handle: (request: Request) => Promise<Response>) => Promise<Served>
  /** Passes bytes on to an origin, and breaks the first connection that has sent so many. */
  readonly breakOnce?: (origin: string, bytes: number) => Promise<Served>
}

/**
 * What holds on every runtime, by name; what throws does not hold.
 *
 * Runs in the runtime itself, so it may use nothing but the Web platform and Sluice.
 */
export type Suite = Readonly<Record<string, (runtime: Runtime) => Promise<void> | void>>

/** Where suites run: the first line of JSON that a runtime prints. */
export interface Place {
  readonly userAgent: string
  /** Node's crypto signs at once, Web Crypto by a promise. */
  readonly isSynchronous: boolean
}

/** What became of one test of a suite: a line of JSON that a runtime prints. */
export interface Line {
  readonly suite: string
  readonly test: string
  /** Why it does not hold. */
  readonly error?: string
}

/** The part of a value that is spoken of: of objects the expected members, of arrays all. */
const pick = (actual: unknown, expected: unknown): unknown => {
  if (Array.isArray(actual))
    return actual.map((item, i) => pick(item, Array.isArray(expected) ? expected[i] : undefined))
  if (typeof actual !== "object" || actual === null || typeof expected !== "object" || expected === null) return actual
  if (Array.isArray(expected)) return actual
  return Object.fromEntries(
    Object.keys(expected).map((key) => [key, pick((actual as any)[key], (expected as any)[key])]),
  )
}

const show = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (part === undefined ? "(undefined)" : part)) ?? "(undefined)"

/** Throws unless a value is the expected one; objects may have more members, arrays may not. */
export const expectMatch = (actual: unknown, expected: unknown): void => {
  const [is, should] = [show(pick(actual, expected)), show(expected)]
  if (is !== should) throw new Error(`Expected ${should}, got ${is}`)
}

/** Expects a problem document. */
export const expectProblem = async (response: Response, status: number, code: string): Promise<void> => {
  const body = await response.text()
  const problem: unknown = body.startsWith("{") ? JSON.parse(body) : body
  expectMatch(
    [response.status, response.headers.get("content-type"), problem],
    [status, "application/problem+json", { status, code }],
  )
}
