/**
 * Runs every step, one after the other, including those after one that fails: whatever is not closed stays locked, or
 * keeps running.
 *
 * Fails: rejects with what the first failing step threw, once all have run.
 *
 * @param onFailure is called with each failure when it happens
 */
export const closeAll = async (
  steps: ReadonlyArray<() => unknown>,
  onFailure: (cause: unknown) => void = () => {},
): Promise<void> => {
  const failures: Array<{ readonly cause: unknown }> = []
  for (const step of steps) {
    try {
      await step()
    } catch (cause) {
      failures.push({ cause })
      onFailure(cause)
    }
  }
  if (failures[0] !== undefined) throw failures[0].cause
}
