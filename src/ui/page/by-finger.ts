import { matchesMedia } from "./matches-media.ts"

/** Whether this device is normally used only by finger: it then has no file drags and no keys. */
export const isByFinger = (): boolean => matchesMedia("(hover: none) and (pointer: coarse)")
