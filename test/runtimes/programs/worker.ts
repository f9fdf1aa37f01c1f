import { runSuites } from "../suite/run-suites.ts"

const encoder = new TextEncoder()

/** Runs the suites `?suite=…` within the request, as everything of a worker does, and answers with their lines. */
export default {
  fetch: (request: Request): Response => {
    const names = new URL(request.url).searchParams.getAll("suite")
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        await runSuites(names, {}, (line) => controller.enqueue(encoder.encode(`${line}\n`)))
        controller.close()
      },
    })
    return new Response(body)
  },
}
