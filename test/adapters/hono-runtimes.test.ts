import { type AppConfiguration, describeAdapter, type RunningApp } from "../conformance/adapter.ts"
import { skipsOnWorkerd, startApp } from "../runtimes/start-app.ts"

const start =
  (runtime: "bun" | "deno" | "worker") =>
  async (configuration: AppConfiguration): Promise<RunningApp> => {
    const app = await startApp("hono", runtime, configuration)
    const parsers = ["json", "text", "bytes"].map((name) => ({
      name,
      url: `${app.origin}/${name}/api/sluice`,
      callback: "works" as const,
    }))
    return { ...app, parsers }
  }

describeAdapter("Hono on Bun", start("bun"))
describeAdapter("Hono on Deno", start("deno"))
describeAdapter("Hono on workerd", start("worker"), skipsOnWorkerd)
