import { randomUUID } from "node:crypto"
import type { FileLabels } from "../../../src/ingest.ts"
import type { Random } from "../random.ts"
import { type Fate, isHeld } from "./world.ts"

/** What becomes of uploads, each as often as it is here. */
export const fates: ReadonlyArray<Fate> = [
  "finished",
  "finished",
  "finished",
  "finished",
  "replaced",
  "abandoned",
  "lying",
  "renewed",
  "deleted",
  "deleted midway",
  "deleted with owner",
  "claimed",
  "unclaimed",
  "released",
  "rejected",
]

/**
 * What the URL of an upload says of its file, so that it becomes of it what is to.
 *
 * @param claimWithin of those that are claimed, ms
 */
export const labelOf = (fate: Fate, random: Random, claimWithin = 60_000): FileLabels => {
  if (isHeld({ fate })) return { hold: true }
  if (fate === "deleted with owner") return { owner: randomUUID() }
  // Whoever claims gets to it, and what was claimed outlives that by far.
  if (fate === "claimed") return { claimWithin }
  return fate === "unclaimed" ? { claimWithin: random.between(1, 400) } : {}
}
