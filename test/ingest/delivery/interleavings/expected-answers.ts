/** Something that happened to a stored file, in the order it happened. Times in ms. */
export type Happening = { readonly at: number } & (
  | { readonly kind: "registered" }
  /** What was said of an attempt before it is forgotten. */
  | { readonly kind: "attempt began" }
  /** An attempt to deliver ended without success; `isLast`: no other follows. */
  | { readonly kind: "attempt failed"; readonly isLast: boolean }
  /** The app took the event. */
  | { readonly kind: "delivered" }
  | { readonly kind: "result"; readonly result: { readonly data: unknown } | { readonly error: string } }
  | { readonly kind: "ingest stopped" }
)

/** A PUT of a file that is stored, or that stored it. */
export interface Asked {
  readonly at: number
  /** How many happenings there were before. */
  readonly position: number
}

/** Rules of the file's route, and of the operator. */
export interface Rules {
  readonly awaitServerData: boolean
  /** ms */
  readonly callbackWait: number
}

const succeed = (data: unknown) => `200 ${JSON.stringify(data)}`
const failed = "502 CALLBACK_FAILED"

/**
 * What a PUT may be answered by docs/protocol.md §10; none: it still waits at `now`.
 *
 * More than one only where two things happened within `precision` of each other.
 */
export const expectedAnswers = (
  history: ReadonlyArray<Happening>,
  asked: Asked,
  { awaitServerData, callbackWait }: Rules,
  now: number,
  precision: number,
): ReadonlyArray<string> => {
  let isRegistered = false
  let isOver = false
  let isDead = false
  let isUnderWay = false
  let result: (Happening & { kind: "result" })["result"] | undefined
  const take = (happening: Happening): void => {
    if (happening.kind === "registered") isRegistered = true
    if (happening.kind === "attempt began" && result !== undefined && "error" in result) result = undefined
    if (happening.kind === "attempt began") isUnderWay = true
    if (happening.kind === "delivered" || happening.kind === "attempt failed") isUnderWay = false
    if (happening.kind === "delivered") isOver = true
    if (happening.kind === "attempt failed" && happening.isLast) isOver = isDead = true
    // Data outlasts whatever is posted after it.
    if (happening.kind === "result" && !(result !== undefined && "data" in result)) result = happening.result
  }
  const isPast = () => isDead || (isOver && result !== undefined && "error" in result)
  const known = (): string | undefined => {
    if (!isRegistered) return undefined
    if (!awaitServerData) return succeed(null)
    if (result !== undefined && "data" in result) return succeed(result.data)
    return isPast() ? failed : undefined
  }

  history.slice(0, asked.position).forEach(take)
  const atOnce = known()
  if (atOnce !== undefined) return [atOnce]

  /** The attempt under way has failed and not ended: whoever asks now waits for the next one. */
  let isSpent = isUnderWay && result !== undefined && "error" in result
  const deadline = asked.at + callbackWait
  /** Failed while it waited, though nobody had registered yet whom that concerns. */
  let hasFailed = false
  for (const happening of history.slice(asked.position)) {
    if (happening.at > deadline + precision) break
    take(happening)
    if (isSpent) {
      if (happening.kind === "attempt failed") isSpent = false
    } else {
      if (happening.kind === "attempt failed") hasFailed = true
      if (happening.kind === "result") hasFailed = result !== undefined && "error" in result
    }
    const answer =
      happening.kind === "ingest stopped"
        ? "503 INGEST_UNAVAILABLE"
        : (known() ?? (hasFailed && isRegistered ? failed : undefined))
    if (answer === undefined) continue
    return happening.at < deadline - precision ? [answer] : [answer, "504 CALLBACK_TIMEOUT"]
  }
  if (now > deadline + precision) return ["504 CALLBACK_TIMEOUT"]
  return now < deadline - precision ? [] : ["504 CALLBACK_TIMEOUT", "waits"]
}
