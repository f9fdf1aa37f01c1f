import type { Settings } from "../settings.ts"

/** The progress of a body, kept up to date by the code that moves it. */
export interface Intake {
  /** Whether the server is waiting for the client at this moment. */
  isWaiting: boolean
  /** Bytes so far, framing included. */
  received: number
}

/** The client sends, or takes, more slowly than it may. */
export class BodyTooSlow extends Error {
  override readonly name = "BodyTooSlow"
}

/** Watches the rate of all bodies in progress. */
export interface RateWatch {
  /** Watches until the returned function is called; `cut` is called once when the body comes too slowly. */
  readonly watch: (intake: Intake, cut: (reason: BodyTooSlow) => void) => () => void
}

/** How often an intake is sampled in the time over which its rate is measured. */
const samples = 10

/**
 * One timer samples all bodies in turn. Only samples that find the server waiting for the client count as the client's
 * time, so a slow disk or a busy process is never blamed on it. A chunk costs only two assignments.
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
    // Not as soon as it is empty: with one small upload after the other each would start its own timer.
    if (watched.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }

  const start = () => {
    const started = setInterval(look, minimumRateWindow / samples)
    // A number in browsers and in workerd, where timers do not keep the process alive.
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
