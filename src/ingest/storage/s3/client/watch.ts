/** Ends a request for which nothing has moved for a while, or whose caller gave up. */
export interface Watch {
  readonly signal: AbortSignal
  /** Something moved. */
  readonly touch: () => void
  /** Nobody waits for the other side: it may take its time. */
  readonly rest: () => void
  /** The request is over. */
  readonly end: () => void
  /** Whether the time ran out. */
  readonly isLate: () => boolean
}

/** @param patience how long nothing may move, ms */
export const createWatch = (patience: number, caller: AbortSignal | undefined): Watch => {
  const controller = new AbortController()
  let isLate = false
  let isOver = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const giveUp = () => controller.abort(caller!.reason)
  const rest = () => clearTimeout(timer)
  const touch = (): void => {
    rest()
    // What is sent may move on after the answer.
    if (isOver) return
    timer = setTimeout(() => {
      isLate = true
      controller.abort(new Error(`nothing moved for ${patience / 1000} s`))
    }, patience)
  }
  if (caller?.aborted === true) giveUp()
  else caller?.addEventListener("abort", giveUp)
  touch()
  return {
    signal: controller.signal,
    touch,
    rest,
    end: () => {
      isOver = true
      rest()
      caller?.removeEventListener("abort", giveUp)
    },
    isLate: () => isLate,
  }
}
