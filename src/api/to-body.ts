import { UploadError } from "../protocol/errors/upload-error.ts"
import { kindOf } from "../protocol/kind-of.ts"

/**
 * The body of a request. JSON leaves out what it cannot write, or writes null in its place, and an owner that is left out means
 * everybody's files: whatever would be lost is refused. A member that is undefined is left out; in a list it is refused.
 *
 * Fails: throws an UploadError, code BAD_REQUEST, that names the call and the member, `updates[0].path`.
 */
export const toBody = (call: string, request: object): string => {
  /** Where each object is in the request. Only the request itself is in nothing that is known. */
  const places = new Map<unknown, string>()
  const toPlace = (holder: unknown, member: string): string => {
    const place = places.get(holder)
    if (Array.isArray(holder)) return `${place}[${member}]`
    return place === undefined || place === "" ? member : `${place}.${member}`
  }
  function keep(this: unknown, member: string, value: unknown): unknown {
    const kind = typeof value
    if (kind === "string" || kind === "boolean" || Number.isFinite(value)) return value
    if (kind === "object" && value !== null) {
      places.set(value, toPlace(this, member))
      return value
    }
    const isNothing = value === null || value === undefined
    // What was written, before its `toJSON` made nothing of it.
    const written = isNothing ? (this as Readonly<Record<string, unknown>>)[member] : value
    if (isNothing && written === value && (value === null || !Array.isArray(this))) return value
    throw new UploadError({
      code: "BAD_REQUEST",
      message: `${call}: ${toPlace(this, member)} is ${kindOf(written)}, which JSON cannot hold.`,
    })
  }
  try {
    return JSON.stringify(request, keep)
  } catch (cause) {
    if (UploadError.is(cause)) throw cause
    throw new UploadError({
      code: "BAD_REQUEST",
      message: `${call}: what it was given is no JSON, see \`cause\`.`,
      cause,
    })
  }
}
