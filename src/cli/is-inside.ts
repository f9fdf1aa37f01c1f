import { isAbsolute, relative, sep } from "node:path"

/** Whether a path is a folder or inside it, judged by their names alone; both without links. */
export const isInside = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
