/**
 * Does some work for each of many, at most so many at a time. They are begun in their order.
 *
 * Fails: rejects with the first failure; nothing more is begun then, and what is under way has ended.
 */
export const forEachAtOnce = async <A>(
  all: AsyncIterable<A>,
  atOnce: number,
  work: (one: A, index: number) => Promise<void>,
): Promise<void> => {
  const left = all[Symbol.asyncIterator]()
  let begun = 0
  let hasFailed = false
  const goOn = async (): Promise<void> => {
    for (;;) {
      const next = await left.next()
      if (hasFailed || next.done === true) return
      await work(next.value, begun++)
    }
  }
  const ended = await Promise.allSettled(
    Array.from({ length: atOnce }, () =>
      goOn().catch((cause: unknown) => {
        hasFailed = true
        throw cause
      }),
    ),
  )
  const failure = ended.find((one) => one.status === "rejected")
  if (failure === undefined) return
  await left.return?.()
  throw failure.reason
}
