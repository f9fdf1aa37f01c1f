/** What one contestant does once: a fresh request, its handling, and whether the answer is the right one. */
export interface Workload {
  readonly request: () => Request
  readonly handle: (request: Request) => Promise<Response>
  /** Throws where the answer is wrong. Called with a body that was read. */
  readonly check: (status: number, body: string) => void
}

/** Somebody to compare with. */
export interface Contestant {
  /** The upload action for so many files; the registration is answered at once. */
  readonly upload: (files: number) => Promise<Workload>
  /** One verified callback; the result's post is answered at once. Absent where there is no such thing. */
  readonly callback?: () => Promise<Workload>
}

export const expect = (isRight: boolean, what: string): void => {
  if (!isRight) throw new Error(`The answer is wrong: ${what}`)
}
