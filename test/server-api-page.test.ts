import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { SluiceApi } from "../src/api.ts"
import { membersOf } from "./members-of.ts"

const markdown = await readFile(join(import.meta.dirname, "../docs/server-api.md"), "utf8")

/** The names in the first column of the table that follows a text. */
const listedAfter = (text: string): ReadonlyArray<string> => {
  const [, rest = ""] = markdown.split(text)
  const [, table = ""] = /((?:^\|.*\n)+)/m.exec(rest) ?? []
  const rows = table.trim().split("\n").slice(2)
  return rows.flatMap((row) => [...row.split("|")[1]!.matchAll(/`(\w+)/g)].map(([, name]) => name!))
}

const declaredIn = {
  ClaimOptions: "src/api/file-options.ts",
  RejectOptions: "src/api/file-options.ts",
  FileLabelsInput: "src/protocol/files/read-labels.ts",
  FileMove: "src/api/file-options.ts",
  ListedFile: "src/protocol/rest-messages.ts",
  ListFilesOptions: "src/api/file-listing.ts",
  UpdateOptions: "src/api/file-options.ts",
}

describe("the page of the server API", () => {
  const members = membersOf(declaredIn)

  it("has a table of each, and no other", () => {
    const named = [...markdown.matchAll(/<!-- options: (\w+) -->/g)].map(([, name]) => name!)
    expect(named.toSorted()).toEqual(Object.keys(declaredIn).toSorted())
  })

  it.each(Object.keys(declaredIn))("lists all that %s has, and nothing it has not", (name) => {
    expect(listedAfter(`<!-- options: ${name} -->`).toSorted()).toEqual(members.get(name)!.toSorted())
  })

  it("lists every method", () => {
    const methods = Object.getOwnPropertyNames(SluiceApi.prototype).filter((name) => name !== "constructor")
    expect([...new Set(listedAfter("\n## All methods\n"))].toSorted()).toEqual(methods.toSorted())
  })
})
