/** Returns the next piece of work, if there is any. */
type Source = () => (() => Promise<void>) | undefined

/** Work that was offered. */
interface Offer {
  /** Call it when there may be work. */
  readonly look: () => void
  readonly isOver: () => boolean
  readonly end: () => void
}

/** How long to wait for an idle moment on a page that is never idle, ms. */
const patience = 1000

const sources = new Set<Source>()
let isBusy = false

/** Safari has no requestIdleCallback. */
const untilIdle = () =>
  new Promise<void>((resolve) => {
    if (globalThis.requestIdleCallback === undefined) setTimeout(resolve, 30)
    else requestIdleCallback(() => resolve(), { timeout: patience })
  })

/** A source that had its turn moves behind the others. */
const next = () => {
  for (const source of sources) {
    const work = source()
    if (work === undefined) continue
    sources.delete(source)
    sources.add(source)
    return work
  }
  return undefined
}

const run = async () => {
  if (isBusy) return
  isBusy = true
  for (;;) {
    await untilIdle()
    const work = next()
    if (work === undefined) break
    await work()
  }
  isBusy = false
}

/** Offers work that is done piece by piece, one at a time in the page, while the page is idle. */
export const offerWork = (source: Source): Offer => {
  sources.add(source)
  return {
    look: () => void run(),
    isOver: () => !sources.has(source),
    end: () => sources.delete(source),
  }
}
