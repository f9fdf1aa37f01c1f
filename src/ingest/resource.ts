import type * as Effect from "effect/Effect"
import type { Answer } from "../http/answer.ts"
import type { Rejected } from "../server-kit/rejected.ts"
import type { Subject } from "./observe/observe-request.ts"
import type { Service } from "./service.ts"

/** Answers a request for an existing resource. */
export type Method = (service: Service) => Effect.Effect<Answer, Rejected>

/** What a path stands for. */
export interface Resource extends Subject {
  /** The possible methods; none where nothing exists. */
  readonly methods: Readonly<Record<string, Method>>
  /** The message for clients that look for something that does not exist. */
  readonly detail?: string
  /** Apps end callbacks with it, and the ingest waits for those before it stops: it answers until then. */
  readonly endsCallback?: true
  /** Pages of other origins cannot read the answers. */
  readonly isHiddenFromPages?: true
}
