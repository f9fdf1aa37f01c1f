import { canRename } from "../files/rename-file.ts"
import type { RowTools } from "./row-tools.ts"

/**
 * Loads what rows can do beside being walked through, each when it can be used for the first time: undo once something was
 * removed, what renames files and puts rows into another order where that is wanted.
 *
 * @returns ends it
 */
export const startRowTools = (tools: RowTools): (() => void) => {
  const { controller } = tools
  const known = new Set<string>()
  const ends: Array<() => void> = []
  let isOver = false
  const want = (name: string, isWanted: boolean | undefined, load: () => Promise<(tools: RowTools) => () => void>) => {
    if (!isWanted || known.has(name)) return
    known.add(name)
    load().then(
      (start) => {
        if (!isOver) ends.push(start(tools))
      },
      // Without a network, for example: retried at the next change.
      () => known.delete(name),
    )
  }
  const look = () => {
    const { removed, files } = controller.getState()
    const { reorder, rename } = tools.config()
    want("undo", removed !== undefined, async () => (await import("./watch-undo.ts")).watchUndo)
    want("reorder", reorder && files.length > 1, async () => (await import("./reorder-rows.ts")).reorderRows)
    want("rename", rename && files.some(canRename), async () => (await import("./rename-rows.ts")).renameRows)
  }
  const unsubscribe = controller.subscribe(look)
  look()
  return () => {
    isOver = true
    unsubscribe()
    for (const end of ends) end()
  }
}
