import { request as httpRequest } from "node:http"
import { onTestFinished } from "vitest"

/**
 * Sends some bytes of a file, and then nothing more until it is told to. They are on their way when this resolves, and somebody
 * reads them; `ended` has the status of the answer, if there was one.
 *
 * @param announced `content-length`
 */
export const startHalf = async (url: string, bytes: number, announced?: number) => {
  // The ingest asks for a body when somebody there is about to read it.
  const headers = { range: "bytes=0-", expect: "100-continue", ...(announced && { "content-length": announced }) }
  const request = httpRequest(url, { method: "PUT", headers })
  onTestFinished(() => void request.destroy())
  const ended = new Promise<number | undefined>((resolve) => {
    request.on("response", (response) => resolve(response.resume().statusCode))
    request.on("error", () => resolve(undefined))
  })
  request.flushHeaders()
  await new Promise((resolve) => request.on("continue", resolve))
  await new Promise<void>((resolve) => request.write(new Uint8Array(bytes), () => resolve()))
  return {
    ended,
    end: (rest: number) => void request.end(new Uint8Array(rest)),
    leave: () => void request.destroy(),
  }
}
