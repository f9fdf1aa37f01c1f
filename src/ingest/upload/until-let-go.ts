import { locked } from "../refusals.ts"
import type { Catalog } from "../storage/catalog/catalog.ts"

/** How long a writer in another process has to flush and let its key go, ms. */
const patience = 2000

/** Between two questions whether it has, ms. */
const pause = 50

/**
 * Takes a key over from the writer that another process may have: that one is asked to stop, and when it has let go, or its
 * time is over, this one goes on. One whose process is dead is not waited for.
 *
 * Fails: rejects with `Rejected` LOCKED where a newer request takes over here meanwhile; as `ask` does.
 * Source: docs/protocol.md §10.
 *
 * @param ask    fences off whoever writes, or answers `held` where it was told to and another live process does
 * @param signal aborts when a newer request takes over
 */
export const untilLetGo = async <A>(
  { processes }: Pick<Catalog, "processes">,
  ask: (unlessHeld: boolean) => Promise<A>,
  isHeld: (answer: A) => boolean,
  signal?: AbortSignal,
): Promise<A> => {
  if (processes === undefined) return ask(false)
  const end = performance.now() + patience
  for (;;) {
    const answer = await ask(performance.now() < end)
    if (!isHeld(answer)) return answer
    await new Promise((resolve) => setTimeout(resolve, pause))
    if (signal?.aborted) throw locked()
  }
}
