/**
 * Gives a file its path, in the property where a browser keeps it for a file that was chosen with its folder. A
 * dropped file has no path, and code that makes a new file (renamed, made smaller) loses it: the new one stays in its
 * folder, under its new name.
 *
 * @param path relative, with `/` between segments: `holiday/2024/a.jpg`
 */
export const keepPath = (file: File, path: string | undefined): File => {
  if (!path?.includes("/") || file.webkitRelativePath) return file
  const value = path.slice(0, path.lastIndexOf("/") + 1) + file.name
  return Object.defineProperty(file, "webkitRelativePath", { value, configurable: true })
}
