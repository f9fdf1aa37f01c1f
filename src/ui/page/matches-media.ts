/** Whether the page's window matches a media query; none where there is no window to ask about, as in jsdom. */
export const matchesMedia = (query: string): boolean => globalThis.matchMedia?.(query).matches ?? false
