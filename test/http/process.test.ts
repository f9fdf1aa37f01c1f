import { execFile } from "node:child_process"
import { createServer } from "node:http"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it, onTestFinished } from "vitest"
import { listen } from "../ingest/circle.ts"

/** Runs a module in a process of its own that has a `transport`, and reads what it prints. */
const run = async (program: string, env: NodeJS.ProcessEnv = {}): Promise<string> => {
  const folder = join(import.meta.dirname, "../../src/http")
  const source = `
    const { createTransport } = await import(${JSON.stringify(`${folder}/own-transport.ts`)})
    const { readWhole } = await import(${JSON.stringify(`${folder}/read-answer.ts`)})
    const transport = createTransport()
    const ask = async (url) => {
      const answer = await transport.send({ url, method: "POST", headers: {}, signal: new AbortController().signal })
      return readWhole(answer, 100)
    }
    ${program}`
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", source], {
    env: { ...process.env, ...env },
  })
  return stdout.trim()
}

it("a connection that is kept for later keeps no process alive", async () => {
  const url = await listen((_, response) => response.end("done"))
  const printed = await run(`
    console.log(await ask(${JSON.stringify(url)}))
    setImmediate(() => console.log(process.getActiveResourcesInfo().filter((name) => /TCP|Timeout/.test(name)).join()))`)
  expect(printed).toBe("done")
})

it("a proxy of the environment is used as fetch uses it", async () => {
  const tunnels: Array<string | undefined> = []
  const proxy = createServer()
  proxy.on("connect", (request, socket) => {
    tunnels.push(request.url)
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void proxy.close())
  const { port } = proxy.address() as { port: number }
  const printed = await run(`console.log(await ask("http://app.example/").catch((error) => error.message))`, {
    NODE_USE_ENV_PROXY: "1",
    HTTP_PROXY: `http://127.0.0.1:${port}`,
  })
  expect(printed).toBe("fetch failed")
  expect(tunnels).toEqual(["app.example:80"])
})
