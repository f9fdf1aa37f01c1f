/** Whether a finger is all that this device is used by, as a rule: it drags no files, and has no keys. */
export const isByFinger = (): boolean => matchMedia("(hover: none) and (pointer: coarse)").matches
