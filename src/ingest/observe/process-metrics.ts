import type { Metrics } from "./metrics.ts"
import { packageVersion } from "./package-version.ts"

/** Metrics that are read from the process on demand. */
export interface ProcessMetrics {
  /** Writes memory, processor time and the event loop's delay since the last call. */
  readonly read: () => void
  readonly close: () => void
}

const quantiles = [50, 99, 100]

/** Starts to watch the event loop; what the runtime does not provide is left out. */
export const watchProcess = (metrics: Metrics): ProcessMetrics => {
  const delay = process.getBuiltinModule("node:perf_hooks").monitorEventLoopDelay?.({ resolution: 20 })
  delay?.enable()
  metrics.build.cell(packageVersion, `node ${process.versions.node}`).set(1)
  metrics.startTime.set(Date.now() / 1000 - process.uptime())
  return {
    read: () => {
      const { rss, heapUsed } = process.memoryUsage()
      const { user, system } = process.cpuUsage()
      metrics.residentMemory.set(rss)
      metrics.heapUsed.set(heapUsed)
      metrics.processorTime.set((user + system) / 1e6)
      if (delay === undefined) return
      for (const percent of quantiles) {
        metrics.eventLoopDelay.cell(String(percent / 100)).set(delay.percentile(percent) / 1e9)
      }
      delay.reset()
    },
    close: () => void delay?.disable(),
  }
}
