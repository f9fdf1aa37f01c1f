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
  /** How many files a body, which is not checked yet, asks for; as many as it names by default. It must not throw. */
  readonly size?: (body: unknown) => number
}

/** An operation with its types erased, so that all fit into one table. */
export interface Operation extends Definition<unknown, unknown> {
  readonly size: (body: unknown) => number
  /** Fails: BAD_REQUEST on a body that is not valid for the operation, and as the operation says. */
  readonly perform: (call: Call, body: unknown) => Effect.Effect<unknown, Rejected>
}

/** A custom id means any number of files. */
const filesOfCustomId = 100

/** How many files a request names, wherever it does. */
export const countNamed = (request: unknown, member = ""): number => {
  if (typeof request === "string") return member.startsWith("customId") ? filesOfCustomId : 1
  if (Array.isArray(request)) return request.reduce((sum: number, each) => sum + countNamed(each, member), 0)
  let sum = 0
  for (const [name, value] of Object.entries(request ?? {})) {
    if (name === "customId" || (typeof value === "object" && value !== null)) sum += countNamed(value, name)
  }
  return Math.max(1, sum)
}

/** Makes an operation from the function that handles a decoded request. */
export const defineOperation = <Request, Answer>(
  definition: Definition<Request, Answer> & {
    readonly act: (call: Call, request: Request) => Effect.Effect<Answer, Rejected>
  },
): Operation => {
  const { act, size = countNamed, ...described } = definition
  // What is not known is not ignored: an older ingest must not do half of what it is asked, `claimFiles` without its `slug`.
  const decode = createDecoder(definition.request, "error")
  return {
    ...(described as unknown as Definition<unknown, unknown>),
    size,
    perform: (call, body) =>
      Effect.flatMap(
        Effect.mapError(
          Effect.suspend(() => decode(body)),
          (detail) => new Rejected({ code: "BAD_REQUEST", detail }),
        ),
        (request) => act(call, request),
      ),
  }
}
