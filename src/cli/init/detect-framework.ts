import { CommandFailure } from "../command-failure.ts"
import type { Framework } from "./framework.ts"
import { frameworks } from "./frameworks.ts"
import { vite } from "./frameworks/vite.ts"
import { node } from "./frameworks/servers.ts"
import type { Project } from "./read-project.ts"

const configEndings = ["ts", "mts", "js", "mjs", "cjs"]

const isFound = ({ packages, config }: Framework, project: Project): boolean =>
  packages.some((name) => project.packages.has(name)) ||
  (config !== undefined && configEndings.some((ending) => project.has(`${config}.${ending}`)))

const isMet = (framework: Framework, project: Project): boolean =>
  isFound(framework, project) && (framework.isUsedIn?.(project) ?? true)

/**
 * The framework of a project. If none is found: a page without a server if a bundler makes one, otherwise plain Node.
 *
 * Fails: with a {@link CommandFailure} where there are several and it is not clear which one is meant.
 */
export const detectFramework = (project: Project): Framework => {
  const found = frameworks.filter((framework) => framework !== vite && isMet(framework, project))
  // A framework that makes the pages also serves them, and runs on a server's framework that is found with it.
  const candidates = found.some(({ hasPages }) => hasPages) ? found.filter(({ hasPages }) => hasPages) : found
  const [framework = isMet(vite, project) ? vite : node, ...others] = candidates
  if (others.length === 0) return framework
  throw new CommandFailure(
    `This project has ${candidates.map(({ title }) => title).join(" and ")}. Say which one takes the uploads: ` +
      `${candidates.map(({ name }) => `--framework ${name}`).join(" or ")}.`,
  )
}
