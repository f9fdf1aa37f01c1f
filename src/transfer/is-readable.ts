/**
 * Whether the last byte of a Blob can be read. Of a file that was changed or removed since it was chosen Chromium and WebKit
 * read nothing, Firefox what there still is.
 */
export const isReadable = (blob: Blob): Promise<boolean> =>
  // A file that was removed before anybody asked for its size is empty, and its slices can be read.
  (blob.size ? blob.slice(-1) : blob).arrayBuffer().then(
    ({ byteLength }) => byteLength > 0 || !blob.size,
    () => false,
  )
