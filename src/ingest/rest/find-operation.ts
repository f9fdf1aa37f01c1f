import * as Effect from "effect/Effect"
import { toJsonAnswer } from "../../http/answer.ts"
import type { Incoming } from "../../http/incoming.ts"
import { limits } from "../../protocol/limits.ts"
import { names } from "../../protocol/names.ts"
import { authoriseApp } from "../access/authorise.ts"
import { performInTurn } from "../requests/perform-in-turn.ts"
import type { Resource } from "../resource.ts"
import type { Service } from "../service.ts"
import type { Operation } from "./operation.ts"
import { operations } from "./operations.ts"
import { respondOpenapi } from "./respond-openapi.ts"

const { api, oldApi } = names.path

const documentName = "openapi.json"

const respondOperation = Effect.fnUntraced(function* (
  service: Service,
  request: Incoming,
  operation: Operation,
  origin: string,
) {
  const app = yield* authoriseApp(service, request)
  const answer = yield* performInTurn(service, app, request, {
    line: app.id,
    maximum: limits.restBody,
    // An omitted body stands for an empty object.
    absent: {},
    // To check a thousand names takes its time as well.
    values: limits.requestValues,
    size: { ofBody: operation.size },
    perform: (body) => operation.perform({ service, app, origin }, body),
  })
  return toJsonAnswer(answer, { "cache-control": "no-store" })
})

const nowhere = (path: string): Resource => ({
  route: `/${path}/{operation}`,
  methods: {},
  detail: `Unknown operation. Available, each as POST ${api}/<operation>: ${[...operations.keys()].join(", ")}.`,
  isHiddenFromPages: true,
})

/**
 * The REST API below `/v6`: `POST /v6/<operation>`, and its description.
 *
 * @param origin the public base URL
 *
 * Source: docs/protocol.md §10.
 */
export const findOperation = (request: Incoming, rest: ReadonlyArray<string>, origin: string): Resource => {
  const [name = ""] = rest
  const route = `/${api}/${name}`
  if (rest.length === 1 && name === documentName) {
    const respond = () => Effect.promise(() => respondOpenapi(request, origin))
    return { route, methods: { GET: respond, HEAD: respond } }
  }
  const operation = operations.get(name)
  if (operation === undefined || rest.length !== 1) return nowhere(api)
  return {
    route,
    methods: { POST: (traced) => respondOperation(traced, request, operation, origin) },
    isHiddenFromPages: true,
  }
}

/** The former paths: `POST /api/<operation>` redirects to the current path. Source: docs/protocol.md §10. */
export const findOldOperation = (rest: ReadonlyArray<string>): Resource => {
  const [name = ""] = rest
  if (rest.length !== 1 || !operations.has(name)) return nowhere(oldApi)
  // Relative, so that it is right behind any proxy and the API key stays with the server it was sent to.
  const moved = () => Effect.succeed({ status: 308, headers: { location: `../${api}/${name}` }, body: null })
  return { route: `/${oldApi}/${name}`, methods: { POST: moved }, isHiddenFromPages: true }
}
