const encoder = new TextEncoder()

const stream = { isReleased: false }

/** By looking again and again: a worker that only waits for what another request does counts as hung. */
const untilReleased = async (): Promise<void> => {
  while (!stream.isReleased) await new Promise((resolve) => setTimeout(resolve, 2))
}

/**
 * Answers at the `probeUrl` of an app that {@link testAdapter} starts: a fetch handler that does what the route handler never does: sets cookies and streams.
 *
 * `?cookies` sets two; `?stream` sends "one", and "two" after `?release`.
 */
export const probe = (request: Request): Response => {
  const { searchParams } = new URL(request.url)
  if (searchParams.has("release")) {
    stream.isReleased = true
    return new Response("released")
  }
  if (searchParams.has("stream")) {
    stream.isReleased = false
    return new Response(
      new ReadableStream({
        async start(controller) {
          controller.enqueue(encoder.encode("one"))
          await untilReleased()
          controller.enqueue(encoder.encode("two"))
          controller.close()
        },
      }),
      // Compression would hold the pieces back; Next.js compresses by itself.
      { headers: { "content-type": "text/plain", "cache-control": "no-transform" } },
    )
  }
  const headers = new Headers()
  headers.append("set-cookie", "a=1; Path=/; Expires=Thu, 01 Jan 2032 00:00:00 GMT")
  headers.append("set-cookie", "b=2; Path=/")
  return new Response("cookies", { headers })
}
