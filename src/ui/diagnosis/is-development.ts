declare const process: { readonly env: { readonly NODE_ENV?: string | undefined } }

/** The mode according to the bundler: all bundlers replace exactly this expression. */
const readMode = (): string | undefined => {
  try {
    return process.env.NODE_ENV
  } catch {
    return undefined // no bundler
  }
}

/** Whether the page's visitor is its developer. Without a bundler: whether the page comes from the visitor's own machine. */
export const isDevelopment = (): boolean => {
  const mode = readMode()
  return mode === undefined
    ? /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|.*\.localhost)$/.test(globalThis.location?.hostname)
    : mode !== "production"
}
