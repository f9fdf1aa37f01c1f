/** Nobody reads them: they are there for as long as their bodies. */
const responses = new WeakMap<ReadableStream, Response>()

/**
 * The body of an answer of `fetch`, for those who do not keep the answer itself. Node cancels the body of a Response that was
 * collected before anybody has begun to read it: such a body ends early, without an error.
 */
export const bodyOf = (response: Response): ReadableStream<Uint8Array> | null => {
  const { body } = response
  if (body !== null) responses.set(body, response)
  return body
}
