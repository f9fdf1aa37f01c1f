import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type OtherBrowser, readResult, toExpression } from "./tab.ts"

const program = "/usr/bin/firefox-esr"

/** What this machine lacks for it; undefined where it has all. */
export const lacksFirefox = (): string | undefined =>
  existsSync(program) ? undefined : "there is no Firefox: apt-get install firefox-esr"

/** Starts Firefox as Debian has it, without a window, and drives it by WebDriver BiDi. */
export const startFirefox = async (): Promise<OtherBrowser> => {
  const profile = await mkdtemp(join(tmpdir(), "sluice-firefox-"))
  const child = spawn(
    program,
    ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "about:blank"],
    { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: "1" } },
  )
  const address = await new Promise<string>((resolve, reject) => {
    let said = ""
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      const found = /listening on (ws:\/\/\S+)/.exec(said)
      if (found) resolve(found[1]!)
    })
    child.once("exit", () => reject(new Error(`Firefox has ended: ${said}`)))
  })
  const socket = new WebSocket(`${address}/session`)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = () => reject(new Error("Firefox does not answer."))
  })
  const waiting = new Map<number, (message: any) => void>()
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data as string) as { readonly id?: number }
    if (message.id !== undefined) waiting.get(message.id)?.(message)
  }
  let count = 0
  const call = async (method: string, params: object): Promise<any> => {
    const id = ++count
    const answer = new Promise<any>((resolve) => waiting.set(id, resolve))
    socket.send(JSON.stringify({ id, method, params }))
    const message = await answer
    waiting.delete(id)
    if (message.type === "error") throw new Error(`Firefox, ${method}: ${message.error} ${message.message}`)
    return message.result
  }
  await call("session.new", { capabilities: { alwaysMatch: { unhandledPromptBehavior: { default: "accept" } } } })
  const { contexts } = await call("browsingContext.getTree", {})
  const { context } = contexts[0] as { readonly context: string }
  await call("browsingContext.setViewport", { context, viewport: { width: 1280, height: 800 } })
  const run = async (expression: string): Promise<any> => {
    const { result, exceptionDetails } = await call("script.evaluate", {
      expression,
      target: { context },
      awaitPromise: true,
      userActivation: true,
    })
    if (exceptionDetails !== undefined) throw new Error(`In the page: ${exceptionDetails.text}`)
    return result
  }
  const find = async (selector: string): Promise<{ readonly sharedId: string }> => {
    const { sharedId } = await run(`document.querySelector(${JSON.stringify(selector)})`)
    if (sharedId === undefined) throw new Error(`There is no ${selector} in the page.`)
    return { sharedId }
  }
  const perform = (type: string, actions: ReadonlyArray<object>) =>
    call("input.performActions", { context, actions: [{ type, id: type, actions }] })
  return {
    tab: {
      goto: (url) => call("browsingContext.navigate", { context, url, wait: "complete" }),
      evaluate: async (work, ...args) => readResult((await run(toExpression(work, args))).value),
      setFiles: async (selector, paths) =>
        call("input.setFiles", { context, element: await find(selector), files: paths }),
      click: async (selector) => {
        await run(`document.querySelector(${JSON.stringify(selector)}).scrollIntoView({ block: "nearest" })`)
        const origin = { type: "element", element: await find(selector) }
        await perform("pointer", [
          { type: "pointerMove", x: 0, y: 0, origin },
          { type: "pointerDown", button: 0 },
          { type: "pointerUp", button: 0 },
        ])
      },
      press: (value) =>
        perform("key", [
          { type: "keyDown", value },
          { type: "keyUp", value },
        ]),
    },
    close: async () => {
      const ended = once(child, "exit")
      await call("browser.close", {}).catch(() => child.kill())
      await ended
      socket.close()
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
