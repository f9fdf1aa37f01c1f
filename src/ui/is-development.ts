declare const process: { readonly env: { readonly NODE_ENV?: string | undefined } }

/** What the bundler says, in its own words: all of them replace exactly this expression. */
const readMode = (): string | undefined => {
  try {
    return process.env.NODE_ENV
  } catch {
    return undefined // no bundler
  }
}

/** Whether who looks at the page is who makes it. Without a bundler: whether the page comes from their own machine. */
export const isDevelopment = (): boolean => {
  const mode = readMode()
  return mode === undefined
    ? /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|.*\.localhost)$/.test(globalThis.location?.hostname)
    : mode !== "production"
}
