import { createServer } from "node:http"
import { expect, it } from "vitest"
import { requestPinned } from "../../src/server-kit/pinned-request.ts"
import { listen } from "../adapters/apps/listen.ts"

/** Asks a server on this machine by a name that has refusing addresses, and then its own. */
const ask = async (refusing: number) => {
  const { origin, close } = await listen(createServer((_request, response) => response.end("done")))
  const addresses = [...Array.from({ length: refusing }, (_, index) => `127.0.0.${index + 2}`), "127.0.0.1"]
  try {
    const { message } = await requestPinned({
      url: new URL(origin.replace(/localhost|127\.0\.0\.1/, "app.example")),
      method: "GET",
      headers: {},
      agent: false,
      addresses: addresses.map((address) => ({ address, family: 4 })),
      refuse: undefined,
    })
    message.resume()
    return message.statusCode
  } finally {
    await close()
  }
}

it("tries the addresses of a name one after the other, and not all of a name that has very many", async () => {
  expect(await ask(15)).toBe(200)
  await expect(ask(16)).rejects.toMatchObject({ code: "ECONNREFUSED" })
})
