import { UploadError } from "../protocol/errors/upload-error.ts"
import { kindOf } from "../protocol/kind-of.ts"

/**
 * The body of a request. JSON leaves out what it cannot write, or writes null in its place, and an owner that is left out means
 * everybody's files: whatever would be lost is refused. A member that is undefined is left out; in a list it is refused.
 *
 * Fails: throws an UploadError, code BAD_REQUEST, that names the call and the member, `updates[0].path`.
 */
export const toBody = (call: string, request: object): string => {
  const places = new Map<unknown, string>()
  const refuse = (holder: unknown, member: string, kind: string): never => {
    const place = places.get(holder) ?? ""
    const name = Array.isArray(holder) ? `${place}[${member}]` : place === "" ? member : `${place}.${member}`
    throw new UploadError({ code: "BAD_REQUEST", message: `${call}: ${name} is ${kind}, which JSON cannot hold.` })
  }
  function keep(this: unknown, member: string, value: unknown): unknown {
    const kind = typeof value
    if (kind === "string" || kind === "boolean" || Number.isFinite(value)) return value
    if (kind === "object" && value !== null) {
      const place = places.get(this)
      // Only the request itself is held by nothing.
      if (place === undefined) places.set(value, "")
      else places.set(value, Array.isArray(this) ? `${place}[${member}]` : place === "" ? member : `${place}.${member}`)
      return value
    }
    if (value !== null && value !== undefined) return refuse(this, member, kindOf(value))
    // What was written, before its `toJSON` made nothing of it.
    const written = (this as Readonly<Record<string, unknown>>)[member]
    if (written === value && (value === null || !Array.isArray(this))) return value
    return refuse(this, member, kindOf(written))
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
