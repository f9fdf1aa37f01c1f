import { UploadError } from "../protocol/errors/upload-error.ts"

/** What a method fails with: an UploadError as it is, and anything else as the `cause` of one, code BAD_REQUEST. */
export const toRefusal = (method: string, cause: unknown): UploadError =>
  UploadError.is(cause)
    ? cause
    : new UploadError({ code: "BAD_REQUEST", message: `${method} cannot use what it was given, see \`cause\`.`, cause })

/**
 * Has every method of a class that gives a promise reject with an UploadError, also where reading an argument throws: a getter,
 * a Proxy, an iterator. Whatever else can fail has an UploadError of its own.
 */
export const guardMethods = (prototype: object): void => {
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    const method: unknown = descriptor.value
    if (name === "constructor" || typeof method !== "function") continue
    const guarded = {
      [name](this: unknown, ...given: ReadonlyArray<unknown>): unknown {
        const result: unknown = Reflect.apply(method, this, given)
        return result instanceof Promise
          ? result.catch((error: unknown) => {
              throw toRefusal(name, error)
            })
          : result
      },
    }
    Object.defineProperty(prototype, name, { ...descriptor, value: guarded[name] })
  }
}
