import type { Usage } from "../../ingest.ts"
import { activeKeysOf, type KnownApp, type KnownKey } from "./known-app.ts"

/** A key as `--json` prints it, without its secret. Times in ms since the epoch. Source: docs/cli.md. */
export const toKeyJson = ({ id, createdAt, revokedAt, heldBy }: KnownKey) => ({
  id,
  isActive: revokedAt === null,
  createdAt,
  revokedAt,
  heldBy,
})

/** An app as `--json` prints it. Sizes in bytes, times in ms since the epoch. Source: docs/cli.md. */
export const toAppJson = (app: KnownApp, { files, storedBytes, announcedBytes }: Usage) => {
  const { id, name, tokenSource, createdAt, defaultAcl, quota, callbackOrigins } = app
  const settings = { defaultAcl, quota, callbackOrigins }
  const activeKeys = activeKeysOf(app).length
  return { id, name, tokenSource, createdAt, ...settings, activeKeys, files, storedBytes, announcedBytes }
}
