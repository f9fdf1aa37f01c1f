import type { Answer } from "../../http/answer.ts"
import type { Incoming } from "../../http/incoming.ts"

/**
 * `GET` and `HEAD /v6/openapi.json`: describes the REST API for machines.
 *
 * The document is made on the first request: most ingests never get one.
 */
export const respondOpenapi = async (request: Incoming, origin: string): Promise<Answer> => {
  const { describeApi } = await import("./openapi.ts")
  const text = JSON.stringify({ ...describeApi(), servers: [{ url: origin }] })
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "public, max-age=300" },
    body: request.method === "HEAD" ? null : text,
  }
}
