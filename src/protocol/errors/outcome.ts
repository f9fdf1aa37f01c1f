import type { ProblemCode } from "./problem.ts"

/** What a `parse*` or `verify*` function returns: failures are values, and nothing is thrown. */
export type Outcome<A> = { readonly ok: true; readonly value: A } | Refusal

/** Why untrusted data was refused: a stable code and what to do about it. */
export interface Refusal {
  readonly ok: false
  readonly code: ProblemCode
  readonly detail: string
}

export const accept = <A>(value: A): Outcome<A> => ({ ok: true, value })

export const refuse = (code: ProblemCode, detail: string): Refusal => ({ ok: false, code, detail })
