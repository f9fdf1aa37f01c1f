import { globSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { expect } from "vitest"

/** Nothing of the file router may be in what a page downloads. */
export const expectNoServerCode = async (folder: string): Promise<void> => {
  const files = globSync(`${folder}/**/*.js`)
  expect(files.length).toBeGreaterThan(0)
  for (const file of files) expect(await readFile(file, "utf8"), file).not.toContain("Pay 5 €")
}
