/** Tells all tabs of the origin that what can be resumed may have changed. */
export interface ResumeChanges {
  readonly tell: () => void
  readonly subscribe: (listener: () => void) => () => unknown
}

/** ms in which changes are told together. */
const pause = 100

/** @param name of the channel */
export const createResumeChanges = (name: string): ResumeChanges => {
  const listeners = new Set<() => void>()
  let channel: BroadcastChannel | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const call = () => {
    for (const listener of listeners) listener()
  }
  /** Whether something has changed in this tab: then the others are told. */
  let isOurs = false
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has its own origin only
      if (isOurs) channel?.postMessage(0)
      isOurs = false
      call()
    }, pause)
  }
  const open = () => {
    if (globalThis.BroadcastChannel) channel ??= new BroadcastChannel(name)
    if (channel) channel.onmessage = soon
  }
  return {
    tell: () => {
      open()
      isOurs = true
      soon()
    },
    subscribe: (listener) => {
      open()
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
