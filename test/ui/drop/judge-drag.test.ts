import { expect, test } from "vitest"
import { judgeDrag } from "../../../src/ui/drop/judge-drag.ts"
import { parseConfig } from "../parse-config.ts"

const file = (type: string) => ({ kind: "file", type })
const config = parseConfig({ image: { maxFileCount: 3 }, pdf: {} })
const judge = (types: ReadonlyArray<string>, others: ReadonlyArray<string> = []) => {
  const { fit, taken, count, reason } = judgeDrag(types.map(file), config, others)
  return [fit, `${taken} of ${count}`, reason]
}

test.each([
  ["all fit", ["image/png", "application/pdf"], [], ["over", "2 of 2", undefined]],
  ["none is of a type that is taken", ["text/plain"], [], ["refused", "0 of 1", "type"]],
  ["some are", ["text/plain", "image/png"], [], ["partly", "1 of 2", "type"]],
  ["too many", ["application/pdf", "application/pdf"], [], ["partly", "1 of 2", "count"]],
  ["no place is left", ["application/pdf"], ["application/pdf"], ["refused", "0 of 1", "count"]],
  ["what was refused before takes no place", ["application/pdf"], ["text/plain"], ["over", "1 of 1", undefined]],
  ["folders and unknown types", ["", ""], ["application/pdf"], ["over", "2 of 2", undefined]],
  ["Firefox calls all files alike", ["application/x-moz-file"], [], ["over", "1 of 1", undefined]],
  ["Safari names none", [], [], ["over", "0 of 0", undefined]],
] as const)("%s", (_, types, others, verdict) => {
  expect(judge(types, others)).toEqual(verdict)
})

test("text beside the files does not count, and without a configuration all may fit", () => {
  expect(judgeDrag([{ kind: "string", type: "text/plain" }, file("image/png")], config)).toMatchObject({ count: 1 })
  expect(judgeDrag([file("text/plain")], undefined).fit).toBe("over")
})
