import { canPinAddresses } from "../../server-kit/pinned-request.ts"
import { type ByteSize, parseByteSize } from "../../protocol/byte-size.ts"
import { type DurationInput, parseDuration } from "../../protocol/duration.ts"
import type { Outcome } from "../../protocol/outcome.ts"
import { UploadError } from "../../protocol/upload-error.ts"
import type { RetryOptions } from "../../transfer/retry.ts"
import { checkOptions } from "../check-options.ts"
import { uploadOptions } from "../known-options.ts"
import type { ServerUploadOptions } from "../server-upload-options.ts"
import { detailFields, type UploadDetails } from "../upload-source.ts"
import { createFetchTransport } from "./fetch-transport.ts"
import { type HostRules, parseAllowedHost } from "./host-rules.ts"
import { createNodeTransport } from "./node-transport.ts"
import type { Transport } from "./remote-answer.ts"

/** A file of another server, and what to make of it. */
export interface RemoteFile extends UploadDetails {
  /** http or https, without user and password. */
  readonly url: string | URL
  /** Unless given: what the server calls it, else the last part of the URL's path. */
  readonly name?: string | undefined
  /** Media type. Unless given: the one the server says, else the one of the name's extension. */
  readonly type?: string | undefined
  /** Sent to the URL's own origin, never to one it redirects to. Those of the connection and of ranges are Sluice's. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** The names of what a {@link RemoteFile} is described by. */
export const remoteFields = [...detailFields, "url", "name", "type", "headers"] as const satisfies ReadonlyArray<
  keyof RemoteFile
>

/** What an upload from URLs is told: what may be fetched, how long to wait for it, and all of `uploadFiles`. */
export interface FromUrlOptions extends ServerUploadOptions {
  /** Only these: `"example.com"`, `"*.example.com"`. Redirects count too. */
  readonly allowedHosts?: ReadonlyArray<string> | undefined
  /**
   * Whether addresses that are not public may be asked: this machine, its network, its cloud's services. Never for URLs
   * that users gave, unless `allowedHosts` names the hosts.
   */
  readonly allowPrivateNetwork?: boolean | undefined
  /** Bytes or `"100MB"`. Default: none, but 1GB for files whose size the server does not say, which are kept on disk for a while. */
  readonly maxFileSize?: ByteSize | number | undefined
  /** How long to wait for an answer; its bytes must then come at 1 KiB/s on average over as long. Default 30 seconds. */
  readonly timeout?: DurationInput | undefined
}

/** Of {@link FromUrlOptions}, what fetching has to know. */
export interface FromUrlSettings extends HostRules {
  /** Bytes. */
  readonly maxFileSize: number | undefined
  /** ms. */
  readonly timeout: number
  readonly signal: AbortSignal
  /** How often a server that cannot be reached is asked before its file counts as failed. */
  readonly retry: RetryOptions
  readonly transport: Transport
}

const pickTransport = (): Transport => (canPinAddresses() ? createNodeTransport() : createFetchTransport())

const valueOf = <A>(option: string, outcome: Outcome<A>): A => {
  if (outcome.ok) return outcome.value
  throw new UploadError({ code: outcome.code, message: `\`${option}\`: ${outcome.detail}` })
}

const knownOptions = [
  ...uploadOptions,
  "allowedHosts",
  "allowPrivateNetwork",
  "maxFileSize",
  "timeout",
] as const satisfies ReadonlyArray<keyof FromUrlOptions>

/**
 * Reads the options of a call.
 *
 * Fails: throws INVALID_CONFIG.
 */
export const readFromUrlOptions = (options: FromUrlOptions = {}, transport = pickTransport()): FromUrlSettings => {
  checkOptions("The options of uploadFilesFromUrl", options, knownOptions)
  return {
    allowedHosts: options.allowedHosts?.map(parseAllowedHost),
    allowPrivateNetwork: options.allowPrivateNetwork ?? false,
    maxFileSize:
      options.maxFileSize === undefined ? undefined : valueOf("maxFileSize", parseByteSize(options.maxFileSize)),
    timeout: valueOf("timeout", parseDuration(options.timeout ?? "30 seconds")),
    signal: options.signal ?? new AbortController().signal,
    retry: options.retry ?? { attempts: 3 },
    transport,
  }
}
