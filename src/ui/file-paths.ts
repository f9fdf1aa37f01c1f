/**
 * Gives a file its path, where a browser keeps that of a file chosen by its folder. A file of a drop has none, and what
 * makes a file anew (renamed, made smaller) loses it: that one stays in its folder, under its new name.
 *
 * @param path relative, with `/` between: `holiday/2024/a.jpg`
 */
export const keepPath = (file: File, path: string | undefined): File => {
  if (!path?.includes("/") || file.webkitRelativePath) return file
  const value = path.slice(0, path.lastIndexOf("/") + 1) + file.name
  return Object.defineProperty(file, "webkitRelativePath", { value, configurable: true })
}
