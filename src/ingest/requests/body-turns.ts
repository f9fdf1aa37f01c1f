import type { BodyReader, Incoming } from "../../http/incoming.ts"

/** Bytes of one body that are read in a turn. */
const ofTurn = 256 * 1024

/** Reads the large bodies of apps' requests in turns, so that what one app sends does not keep the event loop from everybody else. */
export interface BodyTurns {
  /**
   * The request with a body that is read in turns: in one turn of the event loop at most 256 KiB of one such body of the app, that
   * which came first of those that have more, and no other one ends in that turn. So what is made of a body that is complete is over
   * before another one is. A body that nothing comes of keeps nobody waiting.
   */
  readonly pace: (appId: string, request: Incoming) => Incoming
}

interface Waiting {
  /** Which body it is: those that came later have higher numbers. */
  readonly body: number
  readonly begin: () => void
}

/** The bodies of an app. */
interface Line {
  readonly waiting: Array<Waiting>
  /** The number of its turn. */
  turn: number
}

export const createBodyTurns = (): BodyTurns => {
  const lines = new Map<string, Line>()
  let bodies = 0

  const goOn = (appId: string, line: Line): void => {
    line.turn++
    let first = 0
    line.waiting.forEach(({ body }, at) => {
      if (body < line.waiting[first]!.body) first = at
    })
    const [next] = line.waiting.splice(first, 1)
    // Nobody who waits would come to know of another line.
    if (next === undefined) return void lines.delete(appId)
    next.begin()
    setImmediate(goOn, appId, line)
  }

  /** Resolves to the line when the body has the turn, which is never the one in which it asks. */
  const takeTurn = (appId: string, body: number): Promise<Line> =>
    new Promise((resolve) => {
      let line = lines.get(appId)
      if (line === undefined) {
        line = { waiting: [], turn: 0 }
        lines.set(appId, line)
        setImmediate(goOn, appId, line)
      }
      const own = line
      line.waiting.push({ body, begin: () => resolve(own) })
    })

  const toPaced = (appId: string, { read, cancel }: BodyReader): BodyReader => {
    const body = bodies++
    let line: Line | undefined
    let turn = 0
    let length = 0
    let waited = 0
    let since: number | undefined
    const begin = async (): Promise<void> => {
      since = performance.now()
      line = await takeTurn(appId, body)
      waited += performance.now() - since
      since = undefined
      turn = line.turn
      length = 0
    }
    return {
      read: async () => {
        if (line?.turn !== turn || length >= ofTurn) await begin()
        const piece = await read()
        if (piece.done) await begin()
        else length += piece.value.length
        return piece
      },
      cancel,
      waited: () => waited + (since === undefined ? 0 : performance.now() - since),
    }
  }

  return {
    pace: (appId, { method, url, headers, body, bodyUsed }) => ({
      method,
      url,
      headers,
      bodyUsed,
      body: body && {
        locked: body.locked,
        getReader: () => {
          const reader = body.getReader()
          return toPaced(appId, { read: () => reader.read(), cancel: (reason) => reader.cancel(reason) })
        },
      },
    }),
  }
}
