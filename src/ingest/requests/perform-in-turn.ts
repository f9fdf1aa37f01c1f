import * as Effect from "effect/Effect"
import type { Incoming } from "../../http/incoming.ts"
import { parseJson } from "../../server-kit/read-body.ts"
import type { Rejected } from "../../server-kit/rejected.ts"
import type { App } from "../access/apps.ts"
import type { Service } from "../service.ts"
import { countMembers } from "./count-members.ts"
import { readPromptBytes } from "./read-prompt-bytes.ts"

/** What is done of an app's request once its turn has come. */
interface Performance<A, E> {
  /** The line it waits in: those of one line go one after the other. */
  readonly line: string
  /** How large its body may be, bytes. */
  readonly maximum: number
  /** What an empty body stands for; by default it is no JSON. */
  readonly absent?: unknown
  /** How many values its JSON may have; where that is bounded, no object may have a member twice. */
  readonly values: number
  /**
   * How many files it means: by its body, which is not checked yet, or by the number of its bytes alone, and then it is parsed only
   * when its turn has come. It must not throw.
   */
  readonly size: { readonly ofBody: (body: unknown) => number } | { readonly ofBytes: (bytes: number) => number }
  readonly perform: (body: unknown) => Effect.Effect<A, E>
}

/** How many elements a list of a body has, which is not checked yet. */
export const countIn =
  (member: string) =>
  (body: unknown): number => {
    const list = (body as Readonly<Record<string, unknown>> | null)?.[member]
    return Array.isArray(list) ? list.length : 1
  }

const parse = (
  bytes: Uint8Array,
  { absent, values }: Pick<Performance<unknown, unknown>, "absent" | "values">,
): Effect.Effect<unknown, Rejected> =>
  bytes.length === 0 && absent !== undefined
    ? Effect.succeed(absent)
    : // Of what may have any number of values the members are not counted.
      parseJson(bytes, { values, count: values < Infinity ? countMembers : undefined })

/** A body in one of its forms, or both. What holds this keeps none of them that was taken out. */
interface Body {
  bytes: Uint8Array | undefined
  parsed: { readonly value: unknown } | undefined
}

const takeTurn = <A, E>(
  { turns, bodies }: Service,
  app: App,
  body: Body,
  size: number,
  performance: Performance<A, E>,
): Effect.Effect<A, E | Rejected> =>
  turns.take(
    performance.line,
    size,
    Effect.suspend((): Effect.Effect<A, E | Rejected> => {
      const { bytes, parsed } = body
      body.bytes = body.parsed = undefined
      return parsed === undefined
        ? Effect.flatMap(parse(bytes!, performance), performance.perform)
        : performance.perform(parsed.value)
    }),
    (wait) =>
      Effect.suspend(() => {
        body.parsed = undefined
        const bytes = body.bytes!
        // The memory that it was gathered in may be twice as large.
        if (bytes.length < bytes.buffer.byteLength) body.bytes = bytes.slice()
        return bodies.keep(app.id, bytes.length, wait)
      }),
  )

/**
 * Performs a request of an app with a small JSON body when its turn has come. What is parsed may take twenty times the memory of
 * its bytes: a request that has to wait is parsed again at its turn, and only its bytes are kept until then, within the memory for
 * bodies.
 *
 * Fails: as {@link readPromptBytes}; BAD_REQUEST when the body is not JSON; RATE_LIMITED when too many requests of the app
 *        wait already; as `perform` does.
 */
export const performInTurn = <A, E>(
  service: Service,
  app: App,
  request: Incoming,
  performance: Performance<A, E>,
): Effect.Effect<A, E | Rejected> =>
  Effect.flatMap(readPromptBytes(service, app, request, performance.maximum), (bytes) => {
    const { size } = performance
    return "ofBytes" in size
      ? takeTurn(service, app, { bytes, parsed: undefined }, size.ofBytes(bytes.length), performance)
      : Effect.flatMap(parse(bytes, performance), (value) =>
          takeTurn(service, app, { bytes, parsed: { value } }, size.ofBody(value), performance),
        )
  })
