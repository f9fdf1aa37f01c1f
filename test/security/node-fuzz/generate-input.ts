import type { Random } from "./random.ts"
import { createBody, createFraming, createHeaders, oddTargets, rareMethods, versions } from "./request-parts.ts"

/** What a server under attack has: requests that would be in order there, from which the others are made. */
export interface Surface {
  readonly host: string
  /** Origin-form targets that mean something. */
  readonly targets: ReadonlyArray<string>
  /** Headers that mean something. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly bodies: ReadonlyArray<string>
}

/** One input: what is written to a socket, one character a byte. */
export interface FuzzInput {
  readonly text: string
  /** Whether exactly one answer is due and the connection may be used again, whoever parses it. */
  readonly isFramed: boolean
  /** Answers to HEAD have no body. */
  readonly isHead: boolean
  /** The client resets the connection at once. */
  readonly isReset: boolean
}

const commonMethods = ["GET", "POST", "PUT", "HEAD"]

/** Twists a target that means something, so that it means something else. */
const twist = (random: Random, target: string): string => {
  const at = random.below(target.length)
  switch (random.below(7)) {
    case 0:
      return (
        target.slice(0, at) +
        random.pick(["%", "%00", "%zz", "%ff", "&", "=", ";", "/", "//", "?", "#", "\u00e9"]) +
        target.slice(at)
      )
    case 1:
      return target.slice(0, at)
    case 2:
      return `http://${random.pick(["127.0.0.1", "evil.example", "a:b@c", "[::1]", ":80", "a:99999", "%"])}${target}`
    case 3:
      return `/${target}`
    case 4:
      return target + target
    case 5:
      return `${target}${random.pick(["&", "?"])}${"a=b&".repeat(random.below(3000))}`
    default:
      return target.replace(/\d/g, "9")
  }
}

/** Breaks a whole input like bad memory, a bad network or a bad person. */
const mutate = (random: Random, text: string): string => {
  let mutated = text
  for (let count = 1 + random.below(4); count > 0; count--) {
    const at = random.below(mutated.length + 1)
    const end = Math.min(mutated.length, at + random.below(40))
    const [before, cut, after] = [mutated.slice(0, at), mutated.slice(at, end), mutated.slice(end)]
    mutated = random.pick([
      () => before + String.fromCharCode(random.below(256)) + mutated.slice(at + 1),
      () =>
        before + random.pick(["\r\n", "\n", "\r", "\0", "\t", " ", ":", ",", "\u00ff", "\r\n\r\n"]) + mutated.slice(at),
      () => before + after,
      () => before + cut + cut + after,
      () => before,
    ])()
  }
  return mutated
}

/** Makes an input out of choices alone. */
export const generateInput = (random: Random, surface: Surface): FuzzInput => {
  const method = random.chance(0.92) ? random.pick(commonMethods) : random.pick(rareMethods)
  const target = random.chance(0.7)
    ? random.pick(surface.targets)
    : random.chance(0.5)
      ? twist(random, random.pick(surface.targets))
      : random.pick(oddTargets)
  const version = random.chance(0.88) ? "HTTP/1.1" : random.pick(versions)
  const body = createBody(random, surface)
  const framing = createFraming(random, method, body)
  const headers = createHeaders(random, surface, framing.headers)
  const head = [`${method} ${target} ${version}`, ...headers.lines].join("\r\n")
  const whole = `${head}\r\n\r\n${framing.text}`
  const isMutated = random.chance(0.06)
  return {
    text: isMutated ? mutate(random, whole) : whole,
    isFramed: !isMutated && framing.isSound && headers.isSound && version === "HTTP/1.1" && /^[A-Z-]+$/.test(method),
    isHead: method === "HEAD",
    isReset: random.chance(0.01),
  }
}
