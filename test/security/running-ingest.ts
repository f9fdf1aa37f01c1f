/*
 * The `sluice ingest` command in a process of its own. Every security test that needs the command as operators run it
 * starts it here; `restartable-circle.ts` is for ingests that are killed and started again under one URL.
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import {
  createFileKey,
  createSigner,
  encodeAppId,
  names,
  parseToken,
  signUploadUrl,
  type UploadGrant,
} from "../../src/protocol.ts"
import { type CommandOptions, type RunningCommand, startCommand } from "../cli/run-command.ts"
import { makeFolder } from "../make-folder.ts"

/** A `sluice ingest` in a process of its own. */
export interface RunningIngest extends RunningCommand {
  /** As its signed URLs begin. */
  readonly url: string
  readonly port: number
  readonly data: string
  readonly token: string
  readonly apiKey: string
  /** A signed upload URL of its app. */
  readonly sign: (grant?: Partial<UploadGrant>) => Promise<{ readonly key: string; readonly signed: string }>
}

/** What the command is started with beside its arguments. */
export interface RunningIngestOptions extends CommandOptions {
  /** Its data folder; a new one unless given. */
  readonly data?: string
  /** Given to it in the environment; unless given, it makes a token of its own. */
  readonly token?: string
}

/** Node's arguments that run a program before the command. */
export const preload = (program: string): ReadonlyArray<string> => [
  "--import",
  `data:text/javascript,${encodeURIComponent(program)}`,
]

/** Starts the real command, waits until it listens, and ends it with the test. */
export const startRealIngest = async (
  args: ReadonlyArray<string> = [],
  { data: givenData, token: givenToken, env, ...options }: RunningIngestOptions = {},
): Promise<RunningIngest> => {
  const data = givenData ?? join(await makeFolder(), "data")
  const command = startCommand(["ingest", "--json", "--port", "0", "--data", data, ...args], {
    ...options,
    env: { ...(givenToken !== undefined && { [`${names.envPrefix}TOKEN`]: givenToken }), ...env },
  })
  onTestFinished(async () => {
    command.child.kill("SIGKILL")
    await command.ended
  })
  const { url } = JSON.parse(await command.line((line) => line.includes('"listening"'))) as { readonly url: string }
  const token = givenToken ?? (await readFile(join(data, "token"), "utf8")).trim()
  const parsed = parseToken(token)
  if (!parsed.ok) throw new Error(parsed.detail)
  const { apiKey, appId } = parsed.value
  const signer = createSigner(apiKey)
  const sign: RunningIngest["sign"] = async (grant = {}) => {
    const key = grant.key ?? createFileKey(encodeAppId(appId))
    const full = { appId, expires: Date.now() + 3_600_000, name: "a.bin", size: 5, type: "application/octet-stream" }
    return { key, signed: await signUploadUrl(url, { ...full, ...grant, key }, signer) }
  }
  return { ...command, url, port: Number(new URL(url).port), data, token, apiKey, sign }
}
