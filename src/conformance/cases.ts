/** What the cases of a suite are handed to: `describe` and `test` of Vitest, `node:test`, Jest, Bun or their like. */
export interface TestRunner {
  /** Takes a case. It passes where the promise resolves, and fails with the error that it rejects with. */
  readonly test: (title: string, run: () => Promise<void>) => unknown
  /** Groups cases. Without it, as with `Deno.test`, the titles of the groups stand before that of the case. */
  readonly describe?: ((title: string, body: () => void) => unknown) | undefined
}

type Step = () => void | Promise<void>

interface Case {
  readonly title: string
  readonly run: (context?: unknown) => Promise<void>
}

interface Group {
  readonly title: string
  readonly before: Array<Step>
  readonly after: Array<Step>
  readonly members: Array<Case | Group>
}

/** Groups that are being described, the innermost last. Describing is synchronous, so one suite at a time uses it. */
const open: Array<Group> = []

const innermost = (): Group => {
  const group = open.at(-1)
  if (group === undefined) throw new Error("A case was described outside of a suite.")
  return group
}

const createGroup = (title: string, body: () => void): Group => {
  const group: Group = { title, before: [], after: [], members: [] }
  open.push(group)
  try {
    body()
  } finally {
    open.pop()
  }
  return group
}

/** Describes a group of cases. To be called while a suite is described, as everything below. */
export const describe = (title: string, body: () => void): void => {
  innermost().members.push(createGroup(title, body))
}

/** Runs before each case of the group. */
export const beforeEach = (step: Step): void => void innermost().before.push(step)

/** Runs after each case of the group, also where the case or a step before has failed. */
export const afterEach = (step: Step): void => void innermost().after.push(step)

/** Runs a case with the steps of its groups. What fails first is what it rejects with. */
const runCase = async (groups: ReadonlyArray<Group>, run: () => Promise<void>): Promise<void> => {
  const failures: Array<unknown> = []
  const attempt = (step: Step): Promise<void> =>
    Promise.resolve()
      .then(step)
      .catch((cause: unknown) => void failures.push(cause))
  for (const step of groups.flatMap(({ before }) => before)) if (failures.length === 0) await attempt(step)
  if (failures.length === 0) await attempt(run)
  for (const step of groups.toReversed().flatMap(({ after }) => after)) await attempt(step)
  if (failures.length > 0) throw failures[0]
}

/** Describes a case. `context` is what the runner hands to a test, where it hands anything. */
export const it = (title: string, run: (context?: unknown) => Promise<void> | void): void => {
  const groups = [...open]
  innermost().members.push({
    title,
    run: (context) => runCase(groups, async () => run(context)),
  })
}

const hand = (runner: TestRunner, { title, members }: Group, path: ReadonlyArray<string> = []): void => {
  const { test, describe: group } = runner
  const prefix = group === undefined ? [...path, title] : []
  const handMembers = (): void => {
    for (const member of members) {
      if ("members" in member) hand(runner, member, prefix)
      // Jest takes a function that names a parameter for one that calls back.
      else test([...prefix, member.title].join(": "), (...context: ReadonlyArray<unknown>) => member.run(context[0]))
    }
  }
  if (group === undefined) handMembers()
  else group(title, handMembers)
}

const titlesIn = ({ title, members }: Group, path: ReadonlyArray<string> = []): ReadonlyArray<string> =>
  members.flatMap((member) =>
    "members" in member ? titlesIn(member, [...path, title]) : [[...path, title, member.title].join(": ")],
  )

/** Hands all cases that `body` describes to a runner. */
export const runSuite = (runner: TestRunner, title: string, body: () => void): void =>
  hand(runner, createGroup(title, body))

/** The titles of all cases that `body` describes, each with those of its groups. */
export const listCases = (title: string, body: () => void): ReadonlyArray<string> => titlesIn(createGroup(title, body))
