const names = new Set([".DS_Store", "Thumbs.db", "desktop.ini"])

/** Whether systems leave a file of this name in folders: it is not meant to be uploaded with its folder. */
export const isLitter = ({ name }: { readonly name: string }): boolean => names.has(name)
