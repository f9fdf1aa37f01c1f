/** Why a body broke off. */
export interface BrokenOff {
  readonly brokenOff: { readonly cause: unknown }
}

/**
 * Hands over the chunks of a body, in order. What the body itself fails with is its outcome: the bytes before count.
 *
 * Fails: with what `take` fails with; the body is told that nobody reads on.
 */
export const consumeBody = async (
  body: AsyncIterable<Uint8Array>,
  take: (chunk: Uint8Array) => Promise<void> | void,
): Promise<BrokenOff | undefined> => {
  const iterator = body[Symbol.asyncIterator]()
  for (;;) {
    let next: IteratorResult<Uint8Array>
    try {
      next = await iterator.next()
    } catch (cause) {
      return { brokenOff: { cause } }
    }
    if (next.done === true) return undefined
    try {
      const taken = take(next.value)
      if (taken !== undefined) await taken
    } catch (cause) {
      await iterator.return?.().catch(() => {})
      throw cause
    }
  }
}
