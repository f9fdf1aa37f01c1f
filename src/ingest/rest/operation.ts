import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { Rejected } from "../../server-kit/rejected.ts"
import { createDecoder } from "../../schema/decode.ts"
import type { App } from "../apps.ts"
import type { Service } from "../service.ts"

/** Who asks for an operation, and where. */
export interface Call {
  readonly service: Service
  readonly app: App
  /** The public base URL. */
  readonly origin: string
}

/** One operation of the REST API, and what its users are told of it. */
interface Definition<Request, Answer> {
  /** Some words. */
  readonly summary: string
  /** All else a user has to know; CommonMark. */
  readonly description: string
  readonly request: Schema.Codec<Request>
  readonly answer: Schema.Codec<Answer>
  readonly example: { readonly request: Request; readonly answer: Answer }
  /** Whether it looks for one file, which may not be there (404). */
  readonly isOfOneFile?: true
}

/** An operation whose types are forgotten, so that all fit into one table. */
export interface Operation extends Definition<unknown, unknown> {
  /** Fails: BAD_REQUEST on a body that is not the operation's, and as the operation says. */
  readonly perform: (call: Call, body: unknown) => Effect.Effect<unknown, Rejected>
}

/** Makes an operation of what it does with a request that was understood. */
export const defineOperation = <Request, Answer>(
  definition: Definition<Request, Answer> & {
    readonly act: (call: Call, request: Request) => Effect.Effect<Answer, Rejected>
  },
): Operation => {
  const { act, ...described } = definition
  const decode = createDecoder(definition.request)
  return {
    ...(described as unknown as Definition<unknown, unknown>),
    perform: (call, body) =>
      Effect.flatMap(
        Effect.mapError(decode(body), (detail) => new Rejected({ code: "BAD_REQUEST", detail })),
        (request) => act(call, request),
      ),
  }
}
