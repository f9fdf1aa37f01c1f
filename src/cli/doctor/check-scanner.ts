import { connect } from "node:net"
import { connect as connectTls } from "node:tls"
import { envName } from "../../protocol.ts"
import { type ClamdAddress, parseClamdAddress } from "../../schema/clamd-address.ts"
import type { OpenDeployment } from "../deployment/open-deployment.ts"
import { formatSpan } from "../terminal/moment.ts"
import { failed, type Finding, ok, warning } from "./finding.ts"
import { explainUnreachable, type Unreachable } from "./unreachable.ts"

/** ms until a scanner must have answered. */
const timeout = 5000

/** Bytes of an answer that are looked at. */
const longestAnswer = 200

const ofSockets: Readonly<Record<string, Unreachable>> = {
  ENOENT: { reason: "there is no socket of that name" },
  EACCES: {
    reason: "this user may not use the socket",
    advice: "Run the doctor as the user of the ingest, and let that user use clamd's socket.",
  },
}

const explain = (address: string, error: Error): Unreachable =>
  ofSockets[(error as NodeJS.ErrnoException).code ?? ""] ?? explainUnreachable(address, new Error("", { cause: error }))

const silent: Unreachable = { reason: `no answer within ${formatSpan(timeout)}` }

/** What clamd answers to a ping, as far as it matters. */
const pingClamd = (address: ClamdAddress, shown: string): Promise<string | Unreachable> =>
  new Promise((resolve) => {
    const socket = connect(address)
    let answer = ""
    const end = (result: string | Unreachable): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(result)
    }
    const timer = setTimeout(() => end(silent), timeout)
    socket.on("connect", () => socket.write("zPING\0"))
    socket.on("data", (chunk) => {
      answer += chunk.toString()
      if (answer.includes("\0") || answer.length > longestAnswer) end(answer.split("\0")[0]!.slice(0, longestAnswer))
    })
    socket.on("error", (error) => end(explain(shown, error)))
    socket.on("close", () => end(answer))
  })

/** Connects, by TLS where the URL says so, and sends nothing: a scanner that is asked anything may take it for a file. */
const connectTo = (url: URL): Promise<Unreachable | undefined> =>
  new Promise((resolve) => {
    const isTls = url.protocol === "https:"
    const host = url.hostname.replace(/^\[|\]$/g, "")
    const port = Number(url.port) || (isTls ? 443 : 80)
    const isName = !/^[\d.]+$|:/.test(host)
    const socket = isTls ? connectTls({ host, port, ...(isName && { servername: host }) }) : connect({ host, port })
    const end = (result?: Unreachable): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(result)
    }
    const timer = setTimeout(() => end(silent), timeout)
    socket.on(isTls ? "secureConnect" : "connect", () => end())
    socket.on("error", (error) => end(explain(url.href, error)))
    socket.on("close", () => end({ reason: "the connection was closed" }))
  })

const check = "Scanner"

const away = (what: string, { reason, advice }: Unreachable, otherwise: string): Finding =>
  failed(
    check,
    `${what}: ${reason}. Files that are held stay so until it answers.`,
    advice ?? `${otherwise}, or say with --scan-clamd or --scan-url where the scanner is.`,
  )

const checkClamd = async (shown: string): Promise<Finding> => {
  const address = parseClamdAddress(shown)
  if (!address.ok) return failed(check, `The address of clamd is ${shown}.`, address.detail)
  const answer = await pingClamd(address.value, shown)
  if (answer === "PONG") return ok(check, `clamd answers at ${shown}`)
  if (typeof answer !== "string") return away(`No clamd answers at ${shown}`, answer, "Start clamd")
  const said = answer === "" ? "nothing" : JSON.stringify(answer)
  return failed(
    check,
    `What listens at ${shown} answers ${said} to a ping, which no clamd does.`,
    "Give the ingest the address of clamd (--scan-clamd): LocalSocket or TCPSocket in its clamd.conf.",
  )
}

const checkUrl = async (url: URL): Promise<Finding> => {
  // A query may hold anything.
  const shown = url.origin + url.pathname
  const problem = await connectTo(url)
  if (problem !== undefined) return away(`The scanner at ${shown} cannot be reached`, problem, "Start it")
  return ok(
    check,
    `something takes connections at ${shown}; whether it decides shows with a file alone, and the ingest's log says it`,
  )
}

/** Whether the scanner of held files answers; undefined where there is none. No file is sent to it. */
export const checkScanner = async (address: string | undefined): Promise<Finding | undefined> => {
  if (address === undefined) return undefined
  const url = URL.parse(address)
  return url !== null && /^https?:$/.test(url.protocol) ? checkUrl(url) : checkClamd(address)
}

/** This many of each app are counted; for more it says "or more". */
const most = 100

/** How long a file may wait for a scanner before a warning, ms: longer than a scanner has for one (`scanTimeout`), twice. */
const patience = 10 * 60_000

/** How many files wait for a verdict, and how long the oldest one has; undefined where none does, and no scanner is set. */
export const checkHeld = async (
  { catalog, now }: Pick<OpenDeployment, "catalog" | "now">,
  hasScanner: boolean,
): Promise<Finding | undefined> => {
  const check = "Held files"
  const held = await catalog.listHeld({ limit: most, except: new Set() })
  const { length } = held
  if (length === 0) return hasScanner ? ok(check, "no file waits for a verdict") : undefined
  const perApp = Map.groupBy(held, ({ file }) => file.appId)
  const isAll = [...perApp.values()].every((files) => files.length < most)
  const oldest = held
    .map(({ file }) => ({ key: file.key, since: file.uploadedAt ?? file.createdAt }))
    .reduce((first, each) => (each.since < first.since ? each : first))
  const waited = (await now()) - oldest.since
  const message =
    length === 1
      ? `1 file has waited for a verdict for ${formatSpan(waited)}: ${oldest.key}`
      : `${length}${isAll ? "" : " or more"} files wait for a verdict, the oldest for ${formatSpan(waited)}: ${oldest.key}`
  if (hasScanner && waited < patience) return ok(check, message)
  const byHand = "`sluice release <key…>` or `sluice reject <key…>`"
  return warning(
    check,
    `${message}.`,
    hasScanner
      ? `The log of the ingest says why the scanner has not decided, and names the file. A person decides with ${byHand}; \`sluice files --status Held\` lists all of them.`
      : `No scanner is known here, so your app or a person decides: ${byHand}. A scanner is set with --scan-clamd or --scan-url (${envName("scanClamd")}, ${envName("scanUrl")}) of the ingest.`,
  )
}
