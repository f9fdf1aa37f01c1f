/** Bytes of a body that are not counted: its connection costs as much anyway, and nearly all bodies are small. */
export const smallBody = 64 * 1024

/** What one request holds of the memory for large bodies. */
export interface BodyShare {
  /** Holds room for so many bytes in all, which are none where the body is small. Returns whether there was room. */
  readonly hold: (size: number) => boolean
  /** Gives back what is held, once and for all. */
  readonly giveBack: () => void
}

/** What a client reads where there is no room. */
export const noRoom = "Too many large requests are being handled already. Try again in a moment."

/** Memory for the large bodies of requests: 64 MiB for all that get a share of it here. */
export const createBodyMemory = (): (() => BodyShare) => {
  let free = 64 * 1024 * 1024
  return () => {
    let held = 0
    return {
      hold: (size) => {
        if (size <= smallBody || size <= held) return true
        if (size - held > free) return false
        free -= size - held
        held = size
        return true
      },
      giveBack: () => {
        free += held
        // What is read after the end of its request is counted no more.
        held = Infinity
      },
    }
  }
}
