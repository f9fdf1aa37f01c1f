/**
 * Identifies an `UploadError`, whichever copy of the class has made it. To the compiler it is a name, not a symbol: with two copies
 * of the package, as pnpm installs them for different peers, there would be two symbols, and two classes that do not fit.
 */
export const uploadErrorBrand: "~uploadError" = Symbol.for("sluice/UploadError") as never
