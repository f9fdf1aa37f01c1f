import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, globSync } from "node:fs"
import { findFreePort } from "../../start-postgres.ts"
import { type OtherBrowser, readResult, toExpression } from "./tab.ts"

const programs = ["/usr/bin/WebKitWebDriver", "/usr/bin/Xvfb"]
const miniBrowsers = "/usr/lib/*/webkit2gtk-4.1/MiniBrowser"
const elementId = "element-6066-11e4-a52e-4f735466cecf"

/** What this machine lacks for it; undefined where it has all. */
export const lacksWebKit = (): string | undefined =>
  programs.every((program) => existsSync(program)) && globSync(miniBrowsers).length > 0
    ? undefined
    : "there is no WebKitGTK to drive: apt-get install webkit2gtk-driver xvfb"

/** A screen that nobody sees. @returns its name */
const startScreen = async (): Promise<{ readonly screen: ChildProcess; readonly display: string }> => {
  const screen = spawn("/usr/bin/Xvfb", ["-displayfd", "3", "-screen", "0", "1300x900x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  })
  const [number] = (await once(screen.stdio[3] as NodeJS.ReadableStream, "data")) as [Buffer]
  return { screen, display: `:${number.toString().trim()}` }
}

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, "exit")
  child.kill()
  await ended
}

/** Starts WebKitGTK's small browser: the engine of Safari, with another network library. It has no window. */
export const startWebKit = async (): Promise<OtherBrowser> => {
  const { screen, display } = await startScreen()
  const port = await findFreePort()
  const driver = spawn("/usr/bin/WebKitWebDriver", [`--port=${port}`], {
    stdio: "ignore",
    env: { ...process.env, DISPLAY: display, WAYLAND_DISPLAY: "", GDK_BACKEND: "x11" },
  })
  const call = async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { value } = (await response.json()) as { readonly value: any }
    if (typeof value?.error === "string") throw new Error(`WebKit, ${path}: ${value.error} ${value.message}`)
    return value
  }
  const isListening = () =>
    call("GET", "/status").then(
      () => true,
      () => false,
    )
  for (let tries = 0; tries < 200 && !(await isListening()); tries++) await new Promise((go) => setTimeout(go, 50))
  const binary = globSync(miniBrowsers)[0]
  const { sessionId } = await call("POST", "/session", {
    capabilities: { alwaysMatch: { "webkitgtk:browserOptions": { binary, args: ["--automation"] } } },
  })
  const session = `/session/${sessionId}`
  const find = async (selector: string): Promise<string> =>
    (await call("POST", `${session}/element`, { using: "css selector", value: selector }))[elementId]
  return {
    tab: {
      goto: (url) => call("POST", `${session}/url`, { url }),
      evaluate: async (work, ...args) => {
        const script = `const done = arguments[0]; ${toExpression(work, args)}.then(done, (error) => done(JSON.stringify({ thrown: String(error) })))`
        const text = await call("POST", `${session}/execute/async`, { script, args: [] })
        const { thrown } = JSON.parse(text) as { readonly thrown?: string }
        if (thrown !== undefined) throw new Error(`In the page: ${thrown}`)
        return readResult(text)
      },
      setFiles: async (selector, paths) =>
        call("POST", `${session}/element/${await find(selector)}/value`, { text: paths.join("\n") }),
      click: async (selector) => call("POST", `${session}/element/${await find(selector)}/click`, {}),
      press: (value) =>
        call("POST", `${session}/actions`, {
          actions: [
            {
              type: "key",
              id: "keyboard",
              actions: [
                { type: "keyDown", value },
                { type: "keyUp", value },
              ],
            },
          ],
        }),
    },
    close: async () => {
      await call("DELETE", session).catch(() => {})
      await end(driver)
      await end(screen)
    },
  }
}
