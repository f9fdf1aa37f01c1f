import { createComputed } from "solid-js"
import { createStore, reconcile, unwrap } from "solid-js/store"
import { isSlot, type Markup, type UploadItem, type UploadState } from "../../src/ui.ts"

/** What each object of a store was copied from: Solid skips an object that is the same as before. */
const sources = new WeakMap<object, object>()

/** A copy for a store, unless the store still shows this: then what it shows. The core's objects must not change. */
const toStored = <A extends object>(source: A, before: A | undefined, copy: () => A): A => {
  if (before !== undefined && sources.get(before) === source) return before
  const made = copy()
  // The store changes the object that it has, and does not take another.
  sources.set(before ?? made, source)
  return made
}

const listByKey = (children: Markup["children"] = []): ReadonlyMap<string, Markup> =>
  new Map(
    children.flatMap((child): ReadonlyArray<[string, Markup]> =>
      typeof child === "string" || isSlot(child) ? [] : [[child.key, child]],
    ),
  )

/**
 * Markup for the store of a component.
 *
 * @param before what the store has in its place
 * @param isKept whether the core keeps it, so that all of it has to be copied
 */
const toOwn = (markup: Markup, before: Markup | undefined, isKept = false): Markup => {
  const same = listByKey(before?.children)
  return {
    ...markup,
    ...(isKept && { attributes: { ...markup.attributes }, on: { ...markup.on } }),
    children: markup.children.map((child) => {
      if (typeof child === "string" || isSlot(child)) return child
      const old = same.get(child.key)
      if (child.isKept) return toStored(child, old, () => toOwn(child, old, true))
      if (old !== undefined) sources.delete(old)
      return toOwn(child, old, isKept)
    }),
  }
}

const copyFiles = (files: UploadState["files"], before: UploadState["files"]): Array<UploadItem> => {
  const same = new Map(before.map((item) => [item.id, item]))
  return files.map((item) => toStored(item, same.get(item.id), () => ({ ...item })))
}

/** The state of a component as a store. @returns the store, and a function that updates it */
export const createState = (getState: () => UploadState): readonly [UploadState, () => void] => {
  const { files, ...others } = getState()
  const [state, setState] = createStore({ ...others, files: copyFiles(files, []) })
  const update = () => {
    const { files, ...others } = getState()
    setState(others)
    setState("files", reconcile(copyFiles(files, unwrap(state.files)), { key: "id" }))
  }
  return [state, update]
}

/** The markup of a component as a store, which follows what is rendered. */
export const createTree = (render: () => Markup): Markup => {
  const [tree, setTree] = createStore({} as { root: Markup })
  createComputed(() => setTree("root", reconcile(toOwn(render(), unwrap(tree).root), { key: "key" })))
  return tree.root
}
