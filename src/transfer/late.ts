/**
 * What few uploads of pages need, loaded when one does: one module for all of it, because the name of each costs every
 * page bytes.
 */
export { learn, release, takePiece } from "./cut-bodies.ts"
export { explain } from "./explain.ts"
export { sendDirect } from "./send-direct.ts"
export { sendInPieces } from "./send-pieces.ts"
