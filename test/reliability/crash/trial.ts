import { onTestFinished } from "vitest"
import type { IngestProcess } from "../ingest-process.ts"
import type { Random } from "../random.ts"
import { createExecutioner, type Executioner, type Moment } from "./moments.ts"

/** What a trial came to. */
export interface TrialOutcome {
  /** The ingest that was not killed: it still runs. */
  readonly last: IngestProcess
  readonly killed: number
  readonly killedIn: ReadonlyMap<Moment, number>
  /** What the killed ones printed to standard error. */
  readonly errors: string
}

/** An ingest that is killed again and again, while clients upload. */
export interface Trial {
  readonly see: Executioner["see"]
  /** What must never happen, and did. */
  readonly violations: ReadonlyArray<string>
  readonly violate: (what: string) => void
  /** Nothing is waited for any more. */
  readonly isHopeless: () => boolean
  /** Clients begin no further upload. */
  readonly isOver: () => boolean
  /** Address of the ingest that runs, as soon as one does. */
  readonly ingestUrl: () => Promise<string>
  /** Starts and kills ingests, starts a last one, and waits for the clients. */
  readonly run: (start: () => IngestProcess, clients: ReadonlyArray<Promise<unknown>>) => Promise<TrialOutcome>
}

/** ms the clients have after the last kill. */
const patience = 60_000

/** @param moments what the ingest is killed in the middle of, each in its turn */
export const createTrial = (random: Random, moments: ReadonlyArray<Moment>, kills: number): Trial => {
  const violations: Array<string> = []
  const violate = (what: string) => void violations.push(what)
  let [isTooLate, isOver] = [false, false]
  const isHopeless = () => isTooLate || violations.length >= 20
  const executioner = createExecutioner(random, moments)
  let listening = Promise.withResolvers<string>()
  let current: object | undefined

  const startLife = (start: () => IngestProcess): IngestProcess => {
    const life = start()
    current = life
    // A port may be read when the process is dead already.
    void life.port.then((port) => {
      if (port !== undefined && current === life) listening.resolve(`http://127.0.0.1:${port}`)
    })
    onTestFinished(() => void life.child.kill("SIGKILL"))
    return life
  }

  return {
    see: executioner.see,
    violations,
    violate,
    isHopeless,
    isOver: () => isOver || isHopeless(),
    ingestUrl: () => listening.promise,
    run: async (start, clients) => {
      const killedIn = new Map<Moment, number>(moments.map((moment) => [moment, 0]))
      let [killed, errors] = [0, ""]
      for (; killed < kills && !isHopeless(); killed++) {
        const life = startLife(start)
        const moment = await executioner.next(life.port)
        current = undefined
        // Whoever waits for the dead one waits for the next.
        const next = Promise.withResolvers<string>()
        listening.resolve(next.promise)
        listening = next
        await life.kill()
        errors += life.errors()
        killedIn.set(moment, killedIn.get(moment)! + 1)
      }
      const last = startLife(start)
      isOver = true
      const deadline = setTimeout(() => {
        isTooLate = true
        violate("uploads did not end within a minute after the last kill")
      }, patience)
      await Promise.all(clients)
      clearTimeout(deadline)
      return { last, killed, killedIn, errors }
    },
  }
}
