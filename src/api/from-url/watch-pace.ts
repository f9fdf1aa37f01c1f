/** How slow is too slow. */
export interface Pace {
  /** ms of waiting in which at least `least` more bytes must arrive. */
  readonly timeout: number
  readonly least: number
  /** Ends the chunks, which must then reject. */
  readonly onStall: () => void
}

/** Passes chunks on while they come fast enough. Only the time spent waiting for them counts, not the time their reader takes. */
export async function* watchPace(
  chunks: AsyncIterable<Uint8Array>,
  { timeout, least, onStall }: Pace,
): AsyncGenerator<Uint8Array, void> {
  const iterator = chunks[Symbol.asyncIterator]()
  let left = timeout
  let received = 0
  const next = async () => {
    const since = performance.now()
    const timer = setTimeout(onStall, Math.max(left, 1))
    try {
      return await iterator.next()
    } finally {
      clearTimeout(timer)
      left -= performance.now() - since
    }
  }
  try {
    for (let result = await next(); !result.done; result = await next()) {
      received += result.value.byteLength
      if (received >= least) {
        received = 0
        left = timeout
      }
      yield result.value
    }
  } finally {
    await iterator.return?.()
  }
}
