/** What one check of `sluice doctor` came to. */
export interface Finding {
  readonly check: string
  readonly status: "ok" | "warning" | "failed"
  /** What was found. May hold text of others. */
  readonly message: string
  /** What to do about it; null where nothing is to be done. */
  readonly advice: string | null
}

export const ok = (check: string, message: string): Finding => ({ check, status: "ok", message, advice: null })

export const warning = (check: string, message: string, advice: string): Finding => ({
  check,
  status: "warning",
  message,
  advice,
})

export const failed = (check: string, message: string, advice: string): Finding => ({
  check,
  status: "failed",
  message,
  advice,
})
