/** A property and not a WeakSet, so that separately bundled copies of this module understand each other. */
const mark = Symbol.for("sluice/disposable")

/**
 * Marks a stream whose chunks belong to its reader: no other code looks at their memory, so the reader may free it
 * with {@link disposeChunk} instead of leaving it to the garbage collector. For a body of many megabytes, collecting
 * it costs more than everything else a server does with it.
 */
export const markDisposable = <A extends object>(stream: A): A => Object.defineProperty(stream, mark, { value: true })

/** Whether the stream was marked by {@link markDisposable}. */
export const isDisposable = (stream: object | null): boolean => stream !== null && mark in stream

/** Frees the memory of a chunk that was read from a disposable stream and is no longer needed; it has no bytes afterwards. */
export const disposeChunk = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
