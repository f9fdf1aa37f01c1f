import { connect, type Socket } from "node:net"
import { generateInput, type FuzzInput, type Surface } from "./generate-input.ts"
import { createRandom } from "./random.ts"
import { readAnswer } from "./read-answer.ts"

/** What came of many inputs. */
export interface Tally {
  /** Inputs written to a socket completely. */
  readonly sent: number
  /**
   * How often each came first: `404 NOT_FOUND` where our own code says so, `400 -` where Node does, or what came
   * instead of an answer.
   */
  readonly answers: Readonly<Record<string, number>>
  /** One input for each of them, to look at. */
  readonly examples: Readonly<Record<string, string>>
}

/** How long nothing may come on a connection that has no answer due for certain, before the client goes, ms. */
const quiet = 150

/** Ends a connection where the input before it has ended: Node refuses a request without a Host, and closes. */
const closer = "GET / HTTP/1.1\r\n\r\n"

/** How long an answer that is due may take, ms: far more than any takes. */
const patience = 20_000

/** A connection that remembers what it was sent and has not yet understood. */
const open = async (port: number) => {
  const socket: Socket = connect({ port, host: "127.0.0.1", noDelay: true })
  const state = { text: "", isClosed: false, wake: () => {} }
  socket.setEncoding("latin1")
  socket.on("data", (data: string) => {
    state.text += data
    state.wake()
  })
  socket.on("error", () => {})
  socket.on("close", () => {
    state.isClosed = true
    state.wake()
  })
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject))
  /** Waits for bytes or the end; false when neither comes in time. */
  const waitForMore = (time: number) =>
    new Promise<boolean>((resolve) => {
      if (state.isClosed) return resolve(true)
      const timer = setTimeout(() => settle(false), time)
      const settle = (came: boolean) => {
        clearTimeout(timer)
        state.wake = () => {}
        resolve(came)
      }
      state.wake = () => settle(true)
    })
  return { socket, state, waitForMore }
}

type Connection = Awaited<ReturnType<typeof open>>

/** Sends one input and waits until it has its answer, or nothing more is to be expected. */
const sendOne = async (
  { socket, state, waitForMore }: Connection,
  input: FuzzInput,
  count: (what: string) => void,
): Promise<boolean> => {
  socket.write(input.isFramed ? input.text : input.text + closer, "latin1")
  if (input.isReset) {
    // Some are still being read, some already answered.
    if (input.text.length % 2 === 0) await waitForMore(5)
    socket.resetAndDestroy()
    count("reset by the client")
    return false
  }
  for (let answers = 0; ;) {
    // Where nobody can say what the first answer was to, its end may not be where it seems.
    if (!input.isFramed && answers > 0) state.text = state.text.slice(Math.max(0, state.text.search(/HTTP\/1\.1 |$/)))
    const answer = readAnswer(state.text, input.isHead && answers === 0)
    if (answer !== undefined) {
      if (answers++ === 0) count(`${answer.status} ${answer.code}`)
      state.text = state.text.slice(answer.end)
      if (input.isFramed && answer.isKept && !state.isClosed) return true
      if (input.isFramed && !answer.isKept) {
        socket.destroy()
        return false
      }
      continue
    }
    if (state.isClosed) {
      if (answers === 0) count("closed without an answer")
      return false
    }
    if (!(await waitForMore(input.isFramed ? patience : quiet))) {
      if (answers === 0) count(input.isFramed ? "no answer" : "waits for more")
      socket.destroy()
      return false
    }
  }
}

/**
 * Sends `total` inputs over so many connections at once; each connection is used for as long as both ends agree where
 * requests end.
 *
 * Fails: rejects when the server takes no connection any more; the message has the inputs that were sent last.
 */
export const sendInputs = async (
  port: number,
  surface: Surface,
  { seed, total, connections = 64 }: { readonly seed: number; readonly total: number; readonly connections?: number },
): Promise<Tally> => {
  const answers: Record<string, number> = {}
  const examples: Record<string, string> = {}
  const recent: Array<string> = []
  let next = 0
  let sent = 0
  const work = async () => {
    let connection: Connection | undefined
    while (next < total) {
      const index = next++
      const input = generateInput(createRandom(seed, index), surface)
      const shown = `#${index}: ${JSON.stringify(input.text.slice(0, 300))}`
      const count = (what: string) => {
        answers[what] = (answers[what] ?? 0) + 1
        examples[what] ??= shown
      }
      recent.push(shown)
      if (recent.length > 40) recent.shift()
      connection ??= await open(port).catch((cause: unknown) => {
        throw new Error(`No connection any more. Before, with seed ${seed}:\n${recent.join("\n")}`, { cause })
      })
      sent++
      if (!(await sendOne(connection, input, count))) {
        connection.socket.destroy()
        connection = undefined
      }
    }
    connection?.socket.destroy()
  }
  await Promise.all(Array.from({ length: connections }, work))
  return { sent, answers, examples }
}
