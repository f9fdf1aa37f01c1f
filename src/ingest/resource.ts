import type * as Effect from "effect/Effect"
import type { Rejected } from "../server-kit/rejected.ts"
import type { Subject } from "./observe/observe-request.ts"
import type { Service } from "./service.ts"

/** Answers a request for something that is there. */
export type Method = (service: Service) => Effect.Effect<Response, Rejected>

/** What there is at a path. */
export interface Resource extends Subject {
  /** What can be done with it; nothing with what is not there. */
  readonly methods: Readonly<Record<string, Method>>
  /** What to tell those who look for something that is not there. */
  readonly detail?: string
  /** Apps end with it what the ingest waits for before it stops: answers until then. */
  readonly endsCallback?: true
  /** Pages of other origins cannot read the answers. */
  readonly isHiddenFromPages?: true
}
