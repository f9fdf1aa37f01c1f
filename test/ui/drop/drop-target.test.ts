import { expect, test, vi } from "vitest"
import { describeTarget, type DropTarget } from "../../../src/ui/drop/drop-target.ts"

/** A component whose engine is not there yet, and what it is told. */
const createTarget = (isOff = false) => {
  const setDragActive = vi.fn()
  const controller = { loaded: () => undefined, setDragActive } as unknown as DropTarget["controller"]
  const on = describeTarget({ controller, resumeStore: undefined, isOff }, () => null)
  const drag = (type: string, types: ReadonlyArray<string> = ["Files"]) => {
    const dataTransfer = { types, dropEffect: "copy" }
    const event = Object.assign(new Event(type, { cancelable: true }), { dataTransfer })
    on[type]!(event)
    return { isTaken: event.defaultPrevented, ...dataTransfer }
  }
  return { setDragActive, drag }
}

test("before its engine is there, a component shows that files are held over it, until they leave", () => {
  const { setDragActive, drag } = createTarget()
  expect(drag("dragenter")).toMatchObject({ isTaken: true, dropEffect: "copy" })
  expect(setDragActive).toHaveBeenLastCalledWith(true)
  drag("dragover")
  expect(setDragActive).toHaveBeenLastCalledWith(true)
  drag("dragleave", [])
  expect(setDragActive).toHaveBeenLastCalledWith(false)
})

test("before its engine is there, one that is off shows nothing, and says that it takes none", () => {
  const { setDragActive, drag } = createTarget(true)
  expect(drag("dragenter")).toMatchObject({ isTaken: true, dropEffect: "none" })
  expect(drag("dragover")).toMatchObject({ isTaken: true, dropEffect: "none" })
  expect(setDragActive).not.toHaveBeenCalled()
})

test("text that is dragged is left alone", () => {
  const { setDragActive, drag } = createTarget()
  expect(drag("dragover", ["text/plain"]).isTaken).toBe(false)
  expect(drag("drop", ["text/plain"]).isTaken).toBe(false)
  expect(setDragActive).not.toHaveBeenCalled()
})
