import { type FetchLike, sendWithFetch } from "./fetch-transport.ts"
import type { Transport } from "./transport.ts"

/** Node's own `fetch` loads its module by this path when it is called first; whatever replaces it has other words. */
const isFetchOfNode = (fetch: unknown): boolean => String(fetch).includes("internal/deps/undici")

/**
 * Whether Node's `fetch` sends through what Node makes for it: to no proxy (`NODE_USE_ENV_PROXY` sets one, and so may
 * users of undici), to no mock, and with no certificates of its own.
 */
const isDispatcherOfNode = (dispatcher: object | undefined): boolean => {
  if (dispatcher === undefined) return true
  const symbol = Object.getOwnPropertySymbols(dispatcher).find(({ description }) => description === "options")
  const { dispatch, [symbol!]: options } = dispatcher as { [key: symbol]: { connect?: unknown }; dispatch?: unknown }
  return (
    dispatcher.constructor.name === "Agent" &&
    dispatch === (Object.getPrototypeOf(dispatcher) as { dispatch?: unknown }).dispatch &&
    options?.connect === undefined
  )
}

/** Asks about a value once, until there is another one. */
const remember = <A>(ask: (value: A) => boolean) => {
  let known: { readonly value: A; readonly answer: boolean } | undefined
  return (value: A): boolean => {
    if (known === undefined || known.value !== value) known = { value, answer: ask(value) }
    return known.answer
  }
}

/**
 * Whether `globalThis.fetch` would send a request as Node does by itself: then `node:http` does the same for less work.
 * Looked up for each request, so that what replaces `fetch` or its dispatcher later (a test, a tracer) gets all of them.
 */
export const createIsPlainNode = (): (() => boolean) => {
  if (!globalThis.navigator?.userAgent?.startsWith("Node.js")) return () => false
  const dispatcher = Symbol.for("undici.globalDispatcher.1")
  const isOwnFetch = remember(isFetchOfNode)
  const isOwnDispatcher = remember(isDispatcherOfNode)
  return () =>
    isOwnFetch(globalThis.fetch) && isOwnDispatcher((globalThis as { [key: symbol]: object | undefined })[dispatcher])
}

/**
 * How an app or an ingest sends its requests: with the `fetch` that was given, otherwise as `globalThis.fetch` would.
 * Where that is Node's own, `node:http` does the same for half the work.
 *
 * @param maxSockets connections of `node:http` to one origin at the same time; further requests wait, and their time runs
 */
export const createTransport = (fetch: FetchLike | undefined, maxSockets = 256): Transport => {
  if (fetch !== undefined) return { send: sendWithFetch(fetch), close: () => {} }
  const isPlainNode = createIsPlainNode()
  const byFetch = sendWithFetch((url, init) => globalThis.fetch(url, init))
  let byNode: Promise<Transport> | undefined
  // Other runtimes do not load it.
  const load = async () => (await import("./node-transport.ts")).createNodeTransport(maxSockets)
  return {
    send: async (request) => (isPlainNode() ? (await (byNode ??= load())).send : byFetch)(request),
    close: () => void byNode?.then(({ close }) => close()),
  }
}
