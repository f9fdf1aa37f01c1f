import { type Failure, type MockFailure, toUploadError } from "./mock-failure.ts"

/** How the app refuses. */
export interface RefuseOptions {
  /** Only the next upload; otherwise all of them until `reset`. */
  readonly once?: boolean | undefined
  /** Seconds after which the client may ask again. */
  readonly retryAfter?: number | undefined
}

/** How an upload fails. */
export interface FailOptions extends RefuseOptions {
  /** Bytes of the file that arrive before that. Default 0. */
  readonly after?: number | undefined
  /** Only files of this name. */
  readonly name?: string | undefined
}

/** Where an upload stops and waits. */
export interface HoldOptions {
  /** Bytes of the file that arrive before that. Default: all. */
  readonly after?: number | undefined
  /** Only files of this name. */
  readonly name?: string | undefined
}

/** Uploads that wait to be released. */
export interface Hold {
  /** Resolves once an upload waits here. */
  readonly reached: Promise<void>
  /** Releases waiting uploads, and later ones. */
  readonly release: () => void
}

interface Rule<Options> {
  readonly slug: string
  readonly options: Options
}

interface FailRule extends Rule<FailOptions> {
  readonly failure: Failure
}

interface HoldRule extends Rule<HoldOptions>, Hold {
  readonly reach: () => void
  readonly released: Promise<void>
}

const matches = (rule: Rule<{ readonly name?: string | undefined }>, slug: string, name: string): boolean =>
  rule.slug === slug && (rule.options.name === undefined || rule.options.name === name)

const toFailRule = (slug: string, failure: MockFailure, options: FailOptions): FailRule => ({
  slug,
  options,
  failure: { error: toUploadError(failure), retryAfter: options.retryAfter },
})

/** What a test has requested and not withdrawn; of two rules for the same upload the later one wins. */
export const createMockControls = () => {
  const refusals: Array<FailRule> = []
  const failures: Array<FailRule> = []
  const holds: Array<HoldRule> = []
  const delays = new Map<string, number>()

  const take = (rules: Array<FailRule>, slug: string, name = ""): FailRule | undefined => {
    const rule = rules.findLast((candidate) => matches(candidate, slug, name))
    if (rule?.options.once) rules.splice(rules.indexOf(rule), 1)
    return rule
  }

  return {
    refuse: (slug: string, failure: MockFailure, options: RefuseOptions) =>
      void refusals.push(toFailRule(slug, failure, options)),
    fail: (slug: string, failure: MockFailure, options: FailOptions) =>
      void failures.push(toFailRule(slug, failure, options)),
    hold: (slug: string, options: HoldOptions): Hold => {
      const reached = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      const rule: HoldRule = {
        slug,
        options,
        reached: reached.promise,
        reach: reached.resolve,
        released: released.promise,
        release: () => {
          if (holds.includes(rule)) holds.splice(holds.indexOf(rule), 1)
          released.resolve()
        },
      }
      holds.push(rule)
      return { reached: rule.reached, release: rule.release }
    },
    delay: (slug: string, ms: number) => void delays.set(slug, ms),

    takeRefusal: (slug: string): Failure | undefined => take(refusals, slug)?.failure,
    takeFailure: (slug: string, name: string) => take(failures, slug, name),
    holdOf: (slug: string, name: string) => holds.findLast((rule) => matches(rule, slug, name)),
    delayOf: (slug: string): number => delays.get(slug) ?? 0,

    reset: () => {
      refusals.length = failures.length = 0
      delays.clear()
      for (const { release } of [...holds]) release()
    },
  }
}

export type MockControls = ReturnType<typeof createMockControls>
