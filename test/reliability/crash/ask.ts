import { setTimeout as sleep } from "node:timers/promises"
import { type Answer, exchange, type Outgoing } from "../exchange.ts"
import type { World } from "./world.ts"

/** A request; undefined where the connection broke, or where the answer proves nothing. */
export type Ask = (url: string, outgoing: Outgoing) => Promise<Answer | undefined>

export const createAsk =
  ({ isFailure, patience }: Pick<World, "isFailure" | "patience">): Ask =>
  async (url, outgoing) => {
    const answer = await exchange(url, { patience, ...outgoing })
    if (answer !== undefined && isFailure?.(answer) !== true) return answer
    // One of several ingests may be dead for a while: the next request may meet it again.
    if (patience !== undefined) await sleep(30)
    return undefined
  }
