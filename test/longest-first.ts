import { statSync } from "node:fs"
import { join, relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { listModulesOf } from "./quick-tests.ts"

/** The bytes of all modules that a test is made of. */
const measure = ({ project, moduleId }: TestSpecification): number => {
  const { root } = project.config
  const modules = listModulesOf(relative(root, moduleId).replaceAll("\\", "/"))
  return modules.reduce((sum, module) => sum + statSync(join(root, module)).size, 0)
}

/**
 * Begins with what takes long, so that no worker is left alone with it at the end. Vitest knows that from earlier runs; on a
 * fresh clone it goes by the size of a file, and a file of five lines may run a suite of six thousand: here all
 * that a test is made of counts.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    if (sorted.every((file) => this.ctx.cache.getTestSpecificationResult(file) !== undefined)) return sorted
    // The order of projects is Vitest's.
    return [...Map.groupBy(sorted, ({ project }) => project).values()].flatMap((ofProject) => {
      const sizes = new Map(ofProject.map((file) => [file, measure(file)]))
      return ofProject.toSorted((a, b) => sizes.get(b)! - sizes.get(a)!)
    })
  }
}
