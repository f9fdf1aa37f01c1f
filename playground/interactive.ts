import { styleText } from "node:util"
import { frameworks } from "./frameworks.ts"
import { type FrameworkChoice, startFramework, startPlayground } from "./playground.ts"
import { captureConsole, type LogEntry } from "./server-log.ts"

const say = (line: string) => process.stdout.write(`${line}\n`)

const colours = { info: "dim", warn: "yellow", error: "red" } as const

const printEntry = ({ source, level, text }: LogEntry) =>
  say(`${styleText("cyan", source.padEnd(8))}${styleText(colours[level], text)}`)

const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    let isStopping = false
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
      ["SIGHUP", 129],
    ] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(code)
        isStopping = true
        resolve()
      })
    }
  })

const readPort = (name: string, otherwise: number): number => {
  const port = Number(process.env[name] || otherwise)
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port
  throw new Error(`${name} must be a port, not ${process.env[name]}.`)
}

/**
 * `npm start`, and with a framework `npm start -- next`: the page, until Ctrl-C.
 *
 * @returns the exit code
 */
export const runInteractive = async (choice?: FrameworkChoice): Promise<number> => {
  const stopped = stopSignal()
  const appPort = readPort("PORT", 4780)
  const ingestPort = readPort("SLUICE_PORT", 4790)
  const options = { appPort, ingestPort, log: captureConsole(printEntry), logLevel: "Info" } as const
  const title = choice === undefined ? "The Sluice playground" : `Sluice on ${frameworks[choice.framework].title}`
  if (choice !== undefined) say(styleText("dim", `Starting ${title}…`))
  const started = choice === undefined ? startPlayground(options) : startFramework(options, choice)
  const playground = await Promise.race([started, stopped])
  // What has been started so far ends with this process.
  if (playground === undefined) process.exit(0)
  const { url, ingest } = playground
  const notice = (wanted: number, got: string) =>
    wanted === 0 || got.endsWith(`:${wanted}`) ? "" : styleText("yellow", `  (port ${wanted} is in use)`)

  say(`\n${styleText("bold", `${title} is running.`)}\n`)
  say(`  Open    ${styleText(["cyan", "bold"], url)}${notice(appPort, url)}`)
  say(`  Ingest  ${ingest.url}${notice(ingestPort, ingest.url)}`)
  say(`  Files   ${ingest.dataFolder}\n`)
  say(styleText("dim", "Drop a file on the page and watch it go round. Ctrl-C stops everything.\n"))

  // Ctrl-C in a terminal reaches the ingest too, and it may be gone first: with code 0.
  const exitCode = await Promise.race([stopped, playground.ended])
  const isFailure = exitCode !== undefined && exitCode !== 0
  if (isFailure) process.stderr.write(`${styleText("red", "The ingest or the application stopped unexpectedly.")}\n`)
  else say(styleText("dim", "\nStopping…"))
  await playground.stop()
  return isFailure ? 1 : 0
}
