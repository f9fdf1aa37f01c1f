import { globSync, readFileSync } from "node:fs"
import { expect } from "vitest"

/** Nothing of the file router may be in what a page downloads. */
export const expectNoServerCode = (folder: string): void => {
  const files = globSync(`${folder}/**/*.js`)
  expect(files).not.toEqual([])
  expect(files.filter((file) => readFileSync(file, "utf8").includes("Pay 5 €"))).toEqual([])
}
