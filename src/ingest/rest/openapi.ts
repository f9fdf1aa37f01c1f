import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { formatByteSize } from "../../protocol/byte-size.ts"
import { limits } from "../../protocol/limits.ts"
import { names } from "../../protocol/names.ts"
import { type ProblemCode, problemMediaType, problems, toProblemDocument } from "../../protocol/errors/problem.ts"
import { problemCodes } from "../../protocol/errors/problem-code.ts"
import { createDecoder } from "../../schema/decode.ts"
import { packageVersion } from "../observe/package-version.ts"
import type { Operation } from "./operation.ts"
import { operations } from "./operations.ts"

type JsonObject = Readonly<Record<string, unknown>>

const refer = (kind: "schemas" | "responses", name: string) => ({ $ref: `#/components/${kind}/${name}` })

/** A schema in OpenAPI 3.1 (JSON Schema 2020-12), with the named schemas that it refers to. */
const toSchemas = (name: string, schema: Schema.Codec<unknown>): JsonObject => {
  const document = Schema.toJsonSchemaDocument(schema)
  const text = JSON.stringify({ ...document.definitions, [name]: document.schema })
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonObject
}

/** Codes that are sent over the network. */
const codes = problemCodes.filter((code) => problems[code].status > 0)
const retryable = codes.filter((code) => problems[code].retryable)

const problemSchema = {
  type: "object",
  description: "A problem document (RFC 9457).",
  properties: {
    type: { type: "string", description: "The code, as a URN." },
    title: { type: "string", description: "What kind of problem it is." },
    status: { type: "integer", minimum: 400, maximum: 599 },
    detail: { type: "string", description: "What happened, and what to do about it." },
    code: {
      type: "string",
      enum: codes,
      description: `Stable: base decisions on it. After ${retryable.join(", ")} the same request may succeed later.`,
    },
    data: { description: "Further details." },
  },
  required: ["type", "title", "status", "detail", "code"],
}

/** A refusal, with an example of it. */
const refusal = (description: string, code: ProblemCode, detail: string, status?: number): JsonObject => ({
  description,
  content: {
    [problemMediaType]: {
      schema: refer("schemas", "Problem"),
      example: toProblemDocument(code, detail, { status }),
    },
  },
})

const refusals = {
  BadRequest: refusal(
    "The body is not valid for this operation.",
    "BAD_REQUEST",
    "limit: expected a value between 1 and 1000.",
  ),
  Unauthorized: refusal(
    "The API key is missing or wrong.",
    "UNAUTHORIZED",
    `The header ${names.header.apiKey} is missing or holds no active API key of this ingest.`,
  ),
  NotFound: refusal("There is no such file.", "NOT_FOUND", "There is no such file."),
  RequestTimeout: refusal(
    "The body took too long.",
    "BAD_REQUEST",
    "The request's body was not complete within 15 s. Send it again.",
    408,
  ),
  ContentTooLarge: refusal(
    "The body is too large.",
    "BAD_REQUEST",
    `The request's body is larger than ${formatByteSize(limits.restBody)}.`,
    413,
  ),
  Unavailable: refusal(
    "The ingest is stopping, or its storage does not work at the moment. Repeat it after `retry-after` seconds.",
    "INGEST_UNAVAILABLE",
    "The ingest's storage does not work at the moment. Try again later.",
  ),
  Other: refusal(
    "Any other problem.",
    "INTERNAL_ERROR",
    "Something went wrong. The server's log has it under 7d9f2c1e-4b1a-4a56-9c0e-2f6b8f0d3a11.",
  ),
}

const refusalsOf = ({ needsFiles }: Operation): JsonObject => {
  const byStatus: Readonly<Record<string, keyof typeof refusals>> = {
    400: "BadRequest",
    401: "Unauthorized",
    ...(needsFiles && { 404: "NotFound" }),
    408: "RequestTimeout",
    413: "ContentTooLarge",
    503: "Unavailable",
    default: "Other",
  }
  return Object.fromEntries(Object.entries(byStatus).map(([status, name]) => [status, refer("responses", name)]))
}

const toComponentName = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** Whether the body may be omitted. */
const takesNothing = (operation: Operation): boolean =>
  Effect.runSync(Effect.result(createDecoder(operation.request)({})))._tag === "Success"

const toPathItem = (name: string, operation: Operation): JsonObject => {
  const { summary, description, example } = operation
  return {
    post: {
      operationId: name,
      summary,
      description,
      requestBody: {
        required: !takesNothing(operation),
        content: {
          "application/json": {
            schema: refer("schemas", `${toComponentName(name)}Request`),
            example: example.request,
          },
        },
      },
      responses: {
        200: {
          description: "The operation succeeded.",
          content: {
            "application/json": {
              schema: refer("schemas", `${toComponentName(name)}Response`),
              example: example.answer,
            },
          },
        },
        ...refusalsOf(operation),
      },
    },
  }
}

const createDescription = (): JsonObject => {
  const named = [...operations]
  const schemas = named.map(([name, { request, answer }]) => ({
    ...toSchemas(`${toComponentName(name)}Request`, request),
    ...toSchemas(`${toComponentName(name)}Response`, answer),
  }))
  return {
    openapi: "3.1.0",
    info: {
      title: "Ingest REST API",
      version: packageVersion,
      description:
        "What an app can do with its files. For servers: an API key has no place in a page. Files of other apps are treated " +
        "as if they did not exist. At most 1,000 files per call.",
    },
    paths: Object.fromEntries(
      named.map(([name, operation]) => [`/${names.path.api}/${name}`, toPathItem(name, operation)]),
    ),
    components: {
      securitySchemes: { apiKey: { type: "apiKey", in: "header", name: names.header.apiKey } },
      schemas: { ...Object.assign({}, ...schemas), Problem: problemSchema },
      responses: refusals,
    },
    security: [{ apiKey: [] }],
  }
}

let description: JsonObject | undefined

/** The REST API as an OpenAPI 3.1 document without its `servers`; made once. */
export const describeApi = (): JsonObject => (description ??= createDescription())
