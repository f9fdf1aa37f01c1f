import { onTestFinished, vi } from "vitest"

const methods = ["log", "debug", "info", "warn", "error"] as const

/** Every line that is written to the console until the test ends; nothing of it is printed. */
export const captureConsole = (): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const method of methods) {
    const spy = vi.spyOn(console, method).mockImplementation((...parts) => void lines.push(parts.join(" ")))
    onTestFinished(() => spy.mockRestore())
  }
  return lines
}
