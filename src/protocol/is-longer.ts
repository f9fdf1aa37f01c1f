const encoder = new TextEncoder()

/** Whether the UTF-8 of a text is longer than the maximum, in bytes. */
export const isLonger = (text: string, maximum: number): boolean =>
  // A UTF-16 unit is three bytes at most.
  text.length * 3 > maximum && encoder.encode(text).length > maximum
