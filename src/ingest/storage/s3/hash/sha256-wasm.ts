/** SHA-256 whose state can be taken out and put in again, which that of `node:crypto` cannot. Loaded by itself, and by threads. */
export { createSHA256 } from "hash-wasm"

/** Where this module is, built or not. */
export const moduleUrl: string = import.meta.url
