import { expect, test } from "vitest"
import { readTransfer } from "../../../src/ui/drop/read-transfer.ts"
import { findFolderMistake } from "../../../src/ui/files/folder-mistakes.ts"
import { english } from "../../../src/ui/texts/english-texts.ts"

/** A dropped entry; folders give their entries two at a time, as browsers give a hundred. */
const entry = (name: string, children?: ReadonlyArray<FileSystemEntry>): FileSystemEntry => {
  if (children === undefined) {
    return {
      name,
      isFile: true,
      isDirectory: false,
      file: (give: (file: File) => void) => give(new File([], name)),
    } as never
  }
  return {
    name,
    isFile: false,
    isDirectory: true,
    createReader: () => {
      const left = [...children]
      return { readEntries: (give: (entries: Array<FileSystemEntry>) => void) => give(left.splice(0, 2)) }
    },
  } as never
}

/** What a drop brings; its items are empty once the event is over. */
const transfer = (items: ReadonlyArray<object>) => {
  let isOver = false
  const guarded = items.map((item) =>
    Object.fromEntries(
      Object.entries(item).map(([name, value]) => [
        name,
        typeof value === "function" ? () => (isOver ? null : value()) : value,
      ]),
    ),
  )
  queueMicrotask(() => {
    isOver = true
  })
  return { items: guarded, types: ["Files"] } as unknown as DataTransfer
}

const file = (name: string) => ({
  kind: "file",
  getAsFile: () => new File([], name),
  webkitGetAsEntry: () => entry(name),
})

test("files come in their order, texts are left", async () => {
  const files = await readTransfer(transfer([file("a"), { kind: "string" }, file("b")]))
  expect(files.map(({ name }) => name)).toEqual(["a", "b"])
})

test("a folder gives all its files, from however deep, and not what systems leave in it", async () => {
  const folder = entry("photos", [
    entry("1.png"),
    entry(".DS_Store"),
    entry("older", [entry("2.png"), entry("Thumbs.db"), entry("empty", []), entry("3.png")]),
    entry("4.png"),
  ])
  const files = await readTransfer(
    transfer([{ kind: "file", getAsFile: () => null, webkitGetAsEntry: () => folder }, file("5.png")]),
  )
  expect(files.map(({ name }) => name)).toEqual(["1.png", "2.png", "3.png", "4.png", "5.png"])
})

test("handles are attached to their files where the browser gives them; a failing one loses nothing", async () => {
  const attached: Array<string> = []
  const files = await readTransfer(
    transfer([
      { ...file("a"), getAsFileSystemHandle: () => Promise.resolve({ kind: "file", name: "a" }) },
      { ...file("b"), getAsFileSystemHandle: () => Promise.reject(new Error("not from a disk")) },
      file("c"),
    ]),
    ({ name }, handle) => attached.push(`${name}: ${handle.name}`),
  )
  expect(files.map(({ name }) => name)).toEqual(["a", "b", "c"])
  expect(attached).toEqual(["a: a"])
})

test("no handle is asked for where nobody keeps it", async () => {
  const asking = { ...file("a"), getAsFileSystemHandle: () => Promise.reject(new Error("asked")) }
  expect(await readTransfer(transfer([asking]))).toHaveLength(1)
})

test("files of a folder keep their paths; a folder without files, and what cannot be read, is told in its place", async () => {
  const inFolder = (path: string) => ({ ...entry(path.split("/").at(-1)!), fullPath: path }) as FileSystemEntry
  const locked = {
    ...entry("locked.txt"),
    fullPath: "/photos/locked.txt",
    file: (_: unknown, refuse: (error: Error) => void) => refuse(new Error("NotReadableError")),
  } as never
  const photos = entry("photos", [inFolder("/photos/1.png"), locked, entry("deep", [inFolder("/photos/deep/1.png")])])
  const folders = [photos, entry("empty", [entry("none", [])])]
  const files = await readTransfer(
    transfer(folders.map((folder) => ({ kind: "file", webkitGetAsEntry: () => folder, getAsFile: () => null }))),
  )
  expect(files.map((file) => [file.name, file.webkitRelativePath])).toEqual([
    ["1.png", "photos/1.png"],
    ["photos/locked.txt", undefined],
    ["1.png", "photos/deep/1.png"],
    ["empty", undefined],
  ])
  expect(files.map((file) => findFolderMistake(file, english)?.detail)).toEqual([
    undefined,
    "This file cannot be read. Check that you may open it, and choose it again.",
    undefined,
    "No files in this folder.",
  ])
})
