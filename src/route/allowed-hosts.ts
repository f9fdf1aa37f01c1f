import type { Outcome } from "../protocol/errors/outcome.ts"

const form = /^(?:\*\.)?(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:]+\])(?::(?:\d+|\*))?$/i

/**
 * Reads the hosts that a request may name as those of its app, as one pattern for the host (and port) of a URL.
 *
 * Shape:  `app.example`, `app.example:8443`, `*.app.example` (any name below it), `localhost:*` (any port); a list, or
 *         text with commas between. A host without a port has the port of its scheme.
 * Fails:  as a value, code INVALID_CONFIG, naming the entry.
 * Source: docs/protocol.md §5.
 */
export const parseAllowedHosts = (hosts: string | ReadonlyArray<string>): Outcome<RegExp> => {
  const patterns: Array<string> = []
  for (const host of typeof hosts === "string" ? hosts.split(/\s*,\s*/) : hosts) {
    if (!form.test(host)) {
      return {
        ok: false,
        code: "INVALID_CONFIG",
        detail: `allowedHosts: ${JSON.stringify(host)} is not a host. Write app.example, app.example:8443 or *.app.example.`,
      }
    }
    patterns.push(
      host
        .replace(/[.[\]]/g, "\\$&")
        .replace(/^\*/, "[^:]+")
        .replace(/:\*$/, "(:\\d+)?"),
    )
  }
  return { ok: true, value: new RegExp(`^(${patterns.join("|")})$`, "i") }
}
