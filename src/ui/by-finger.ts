/** Whether this device is normally used only by finger: it then has no file drags and no keys. */
export const isByFinger = (): boolean => matchMedia("(hover: none) and (pointer: coarse)").matches
