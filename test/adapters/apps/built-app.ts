import type { AppConfiguration, RunningApp } from "../../conformance/adapter.ts"

/** What the built applications here read of their environment. */
export const toEnvironment = ({ token, ingestUrl }: AppConfiguration): Readonly<Record<string, string>> => ({
  HOST: "127.0.0.1",
  SLUICE_TOKEN: token,
  SLUICE_INGEST_URL: ingestUrl,
  SLUICE_ALLOWED_HOSTS: "127.0.0.1:*",
})

/** Where each of them has its route handler, its probe and its page. */
export const toAddresses = (origin: string): Pick<RunningApp, "url" | "probeUrl" | "pageUrl"> => ({
  url: `${origin}/nested/api/sluice`,
  probeUrl: `${origin}/nested/probe`,
  pageUrl: `${origin}/nested/upload.html`,
})
