import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { names } from "../../protocol/names.ts"
import {
  type ProblemCode,
  type ProblemDocument,
  problemMediaType,
  problems,
  toProblemDocument,
} from "../../protocol/problem.ts"
import { createDecoder } from "../../schema/decode.ts"
import { packageVersion } from "../observe/package-version.ts"
import type { Operation } from "./operation.ts"
import { operations } from "./operations.ts"

type JsonObject = Readonly<Record<string, unknown>>

const componentOf = (name: string) => `#/components/schemas/${name}`

/** A schema as OpenAPI 3.1 has it (JSON Schema 2020-12), with the named ones it refers to. */
const toSchemas = (name: string, schema: Schema.Codec<unknown>): JsonObject => {
  const document = Schema.toJsonSchemaDocument(schema)
  const text = JSON.stringify({ ...document.definitions, [name]: document.schema })
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonObject
}

const problemSchema = {
  type: "object",
  description: "A problem document (RFC 9457).",
  properties: {
    type: { type: "string", description: "The code, as a URN." },
    title: { type: "string", description: "What kind of problem it is." },
    status: { type: "integer", minimum: 400, maximum: 599 },
    detail: { type: "string", description: "What happened, to which file, and what to do about it." },
    code: {
      type: "string",
      enum: Object.entries(problems).flatMap(([code, { status }]) => (status === 0 ? [] : [code])),
      description:
        "Stable; decide by it. Those that a repetition may help: LOCKED, RATE_LIMITED and all of 5xx but 507.",
    },
    data: { description: "Further facts." },
  },
  required: ["type", "title", "status", "detail", "code"],
}

/** A refusal, with an example of it. */
const refusal = (description: string, code: ProblemCode, detail: string, status?: number): JsonObject => ({
  description,
  content: {
    [problemMediaType]: {
      schema: { $ref: componentOf("Problem") },
      example: toProblemDocument(code, detail, { status }) satisfies ProblemDocument,
    },
  },
})

const refusals = {
  400: refusal(
    "The body is not what the operation takes.",
    "BAD_REQUEST",
    "limit: expected a value between 1 and 1000.",
  ),
  401: refusal(
    "The API key is missing or wrong.",
    "UNAUTHORIZED",
    `The header ${names.header.apiKey} is missing or holds no API key of this ingest.`,
  ),
  404: refusal("There is no such file.", "NOT_FOUND", "There is no such file."),
  408: refusal(
    "The body took too long.",
    "BAD_REQUEST",
    "The request's body was not complete within 15 s. Send it again.",
    408,
  ),
  413: refusal("The body is too large.", "BAD_REQUEST", "The request's body is larger than 4MB.", 413),
  503: refusal(
    "The ingest is stopping, or its storage does not work at the moment.",
    "INGEST_UNAVAILABLE",
    "The ingest's storage does not work at the moment. Try again later.",
  ),
  default: refusal(
    "Any other problem.",
    "INTERNAL_ERROR",
    "Something went wrong. The server's log has it under 7d9f2c1e-4b1a-4a56-9c0e-2f6b8f0d3a11.",
  ),
}

const toComponentName = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** Whether a body may be left out. */
const takesNothing = (operation: Operation): boolean =>
  Effect.runSync(Effect.result(createDecoder(operation.request)({})))._tag === "Success"

const toPathItem = (name: string, operation: Operation): JsonObject => {
  const { summary, description, example, isOfOneFile } = operation
  const { 404: missing, ...others } = refusals
  return {
    post: {
      operationId: name,
      summary,
      description,
      requestBody: {
        required: !takesNothing(operation),
        content: {
          "application/json": {
            schema: { $ref: componentOf(`${toComponentName(name)}Request`) },
            example: example.request,
          },
        },
      },
      responses: {
        200: {
          description: "It is done.",
          content: {
            "application/json": {
              schema: { $ref: componentOf(`${toComponentName(name)}Response`) },
              example: example.answer,
            },
          },
        },
        ...others,
        ...(isOfOneFile && { 404: missing }),
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
        "What an app does to its files. For servers: an API key has no place in a page. Files of another app are as files " +
        "there are not. At most 1,000 files a call.",
    },
    paths: Object.fromEntries(
      named.map(([name, operation]) => [`/${names.path.api}/${name}`, toPathItem(name, operation)]),
    ),
    components: {
      securitySchemes: { apiKey: { type: "apiKey", in: "header", name: names.header.apiKey } },
      schemas: { ...Object.assign({}, ...schemas), Problem: problemSchema },
    },
    security: [{ apiKey: [] }],
  }
}

let description: JsonObject | undefined

/** The REST API as an OpenAPI 3.1 document, all but its `servers`; made once. */
export const describeApi = (): JsonObject => (description ??= createDescription())
