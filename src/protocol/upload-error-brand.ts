/** Identifies an `UploadError`, whichever copy of the class has made it. */
export const uploadErrorBrand: unique symbol = Symbol.for("sluice/UploadError") as never
