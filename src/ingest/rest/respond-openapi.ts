/**
 * `GET` and `HEAD /v6/openapi.json`: what the REST API is, for machines.
 *
 * The document is made when it is first asked for: most ingests never are.
 */
export const respondOpenapi = async (request: Request, origin: string): Promise<Response> => {
  const { describeApi } = await import("./openapi.ts")
  const text = JSON.stringify({ ...describeApi(), servers: [{ url: origin }] })
  return new Response(request.method === "HEAD" ? null : text, {
    headers: { "content-type": "application/json", "cache-control": "public, max-age=300" },
  })
}
