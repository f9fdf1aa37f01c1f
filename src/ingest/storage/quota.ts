import type { FileRecord, Usage } from "./catalog.ts"

/** Whether a file of this size has room beside an app's others; `replaced` is the one whose key it takes. */
export const fitsQuota = (
  { storedBytes, announcedBytes }: Usage,
  size: number,
  quota: number | undefined,
  replaced?: Pick<FileRecord, "status" | "size">,
): boolean => {
  const freed = replaced?.status === "Uploading" ? replaced.size : 0
  return quota === undefined || storedBytes + announcedBytes - freed + size <= quota
}
