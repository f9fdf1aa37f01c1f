/**
 * `GET` and `HEAD /v6/openapi.json`: describes the REST API for machines.
 *
 * The document is made on the first request: most ingests never get one.
 */
export const respondOpenapi = async (request: Request, origin: string): Promise<Response> => {
  const { describeApi } = await import("./openapi.ts")
  const text = JSON.stringify({ ...describeApi(), servers: [{ url: origin }] })
  return new Response(request.method === "HEAD" ? null : text, {
    headers: { "content-type": "application/json", "cache-control": "public, max-age=300" },
  })
}
