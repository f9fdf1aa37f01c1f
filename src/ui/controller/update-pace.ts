/** When listeners are told of changes that come faster than they can be shown. */
export interface UpdatePace {
  /** Tells them at once. */
  readonly now: () => void
  /** Tells them within a frame. */
  readonly soon: () => void
  /** Tells them within a frame where that costs little; else as often as leaves most of the main thread to others. */
  readonly inTurn: () => void
}

/** ms. `frame`: changes need not be shown more often. `longest`: what is shown is never older. */
const times = { frame: 16, longest: 1000 }

/** How often the time that a rendering takes goes by until the next one: renderings take an eighth of the main thread. */
const share = 7

/**
 * Measures what renderings cost: the work of the listeners and of their frameworks, which render in a microtask, and
 * then the page's own layout and paint. A hidden page has none of these, and no frames.
 *
 * @returns `measure` does a rendering; `read` the ms of one
 */
const createMeter = () => {
  let work = 0
  let paint = 0
  let isWatching = false
  const hasFrames = () => "requestAnimationFrame" in globalThis && !document.hidden
  const watchFrame = () => {
    if (isWatching || !hasFrames()) return
    isWatching = true
    requestAnimationFrame(() => {
      const begun = performance.now()
      setTimeout(() => {
        paint = performance.now() - begun
        isWatching = false
      }, 0)
    })
  }
  return {
    measure: (render: () => void) => {
      const begun = performance.now()
      render()
      queueMicrotask(() => {
        work = performance.now() - begun
      })
      watchFrame()
    },
    read: () => (hasFrames() ? work + paint : work),
  }
}

/**
 * Keeps a list of thousands of files, of which several change between two frames, from taking the main thread: a
 * rendering that is expensive is followed by a rest. Only timers are waited for, never a frame or the clock, which stand
 * still in hidden tabs and in tests.
 */
export const createUpdatePace = (tell: () => void): UpdatePace => {
  const meter = createMeter()
  /** Runs from one update to the end of its frame, then through the rest. */
  let timer: ReturnType<typeof setTimeout> | undefined
  let isResting = false
  let isDue = false
  let isSoon = false

  const now = () => {
    isDue = isSoon = false
    meter.measure(tell)
  }
  const begin = () => {
    clearTimeout(timer)
    isResting = false
    timer = setTimeout(endFrame, times.frame)
    now()
  }
  const end = () => {
    timer = undefined
    if (isDue) begin()
  }
  const endFrame = () => {
    const rest = Math.min(times.longest, meter.read() * share) - times.frame
    if (isSoon || rest <= 0) return end()
    isResting = true
    timer = setTimeout(end, rest)
  }
  return {
    now,
    soon: () => {
      if (timer === undefined || isResting) return begin()
      isDue = isSoon = true
    },
    inTurn: () => {
      if (timer === undefined) return begin()
      isDue = true
    },
  }
}
