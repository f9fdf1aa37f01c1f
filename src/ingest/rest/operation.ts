import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { Rejected } from "../../server-kit/rejected.ts"
import { createDecoder } from "../../schema/decode.ts"
import type { App } from "../access/apps.ts"
import type { Service } from "../service.ts"

/** The context of an operation: who calls it, and where. */
export interface Call {
  readonly service: Service
  readonly app: App
  /** The public base URL. */
  readonly origin: string
}

/** One operation of the REST API, and its documentation. */
interface Definition<Request, Answer> {
  /** A short title. */
  readonly summary: string
  /** Everything else a user has to know; CommonMark. */
  readonly description: string
  readonly request: Schema.Codec<Request>
  readonly answer: Schema.Codec<Answer>
  readonly example: { readonly request: Request; readonly answer: Answer }
  /** Whether it needs the files that it names: where one does not exist, it fails (404). */
  readonly needsFiles?: true
}

/** An operation with its types erased, so that all fit into one table. */
export interface Operation extends Definition<unknown, unknown> {
  /** Fails: BAD_REQUEST on a body that is not valid for the operation, and as the operation says. */
  readonly perform: (call: Call, body: unknown) => Effect.Effect<unknown, Rejected>
}

/** Makes an operation from the function that handles a decoded request. */
export const defineOperation = <Request, Answer>(
  definition: Definition<Request, Answer> & {
    readonly act: (call: Call, request: Request) => Effect.Effect<Answer, Rejected>
  },
): Operation => {
  const { act, ...described } = definition
  // What is not known is not ignored: an older ingest must not do half of what it is asked, `claimFiles` without its `slug`.
  const decode = createDecoder(definition.request, "error")
  return {
    ...(described as unknown as Definition<unknown, unknown>),
    perform: (call, body) =>
      Effect.flatMap(
        Effect.mapError(decode(body), (detail) => new Rejected({ code: "BAD_REQUEST", detail })),
        (request) => act(call, request),
      ),
  }
}
