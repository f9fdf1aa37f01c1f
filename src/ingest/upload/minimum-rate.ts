import type { Settings } from "../settings.ts"

/** How a body gets on; whoever moves it keeps this up to date. */
export interface Intake {
  /** Whether the client is being waited for at this moment. */
  isWaiting: boolean
  /** Bytes so far, framing included. */
  received: number
}

/** The client sends, or takes, slower than it may. */
export class BodyTooSlow extends Error {
  override readonly name = "BodyTooSlow"
}

/** Watches over the rate of all bodies that are under way. */
export interface RateWatch {
  /** Until the returned function is called; `cut` is called once when the body comes too slowly. */
  readonly watch: (intake: Intake, cut: (reason: BodyTooSlow) => void) => () => void
}

/** How often an intake is looked at in the time over which its rate is measured. */
const samples = 10

/**
 * One timer looks at all bodies in turn. A look that finds a client being waited for counts as that much time of its
 * own: what the disk takes, or a busy process, is not held against it, and a chunk costs two assignments.
 */
export const createRateWatch = ({
  minimumRate,
  minimumRateWindow,
}: Pick<Settings, "minimumRate" | "minimumRateWindow">): RateWatch => {
  const least = (minimumRate * minimumRateWindow) / 1000
  const watched = new Map<Intake, { waits: number; before: number; readonly cut: (reason: BodyTooSlow) => void }>()
  let timer: ReturnType<typeof setInterval> | undefined

  const look = (): void => {
    for (const [intake, state] of watched) {
      if (!intake.isWaiting || ++state.waits < samples) continue
      const received = intake.received - state.before
      if (received < least) {
        watched.delete(intake)
        state.cut(
          new BodyTooSlow(
            `The body came too slowly (${received} bytes in ${minimumRateWindow / 1000} s, at least ${least} are needed)`,
          ),
        )
      }
      state.waits = 0
      state.before = intake.received
    }
    // Not as soon as it is empty: with one small upload after the other that would be a timer each.
    if (watched.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }

  const start = () => {
    const started = setInterval(look, minimumRateWindow / samples)
    // A number in browsers and in workerd, which end without asking.
    if (typeof started === "object") started.unref?.()
    return started
  }

  return {
    watch: (intake, cut) => {
      if (minimumRate === 0) return () => {}
      watched.set(intake, { waits: 0, before: intake.received, cut })
      timer ??= start()
      return () => void watched.delete(intake)
    },
  }
}
