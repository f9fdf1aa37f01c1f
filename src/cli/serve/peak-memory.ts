import { readFileSync } from "node:fs"

/**
 * The largest resident memory that this process ever had, in bytes.
 *
 * Considerations: on Linux `getrusage` also counts the parent's memory from before `exec`, so the kernel's own peak
 * value for this program is read where it exists.
 */
export const readPeakMemory = (): number => {
  let kibibytes: number | undefined
  try {
    kibibytes = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1])
  } catch {
    // not Linux
  }
  return (kibibytes || process.resourceUsage().maxRSS) * 1024
}
