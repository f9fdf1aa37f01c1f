/** A text of a server without the characters by which it would change the direction of what stands around it. */
export const keepDirection = (text: string): string => text.replace(/[\u202A-\u202E\u2066-\u2069]/g, "\uFFFD")
