import { canPinAddresses } from "../../server-kit/pinned-request.ts"
import { type ByteSize, parseByteSize } from "../../protocol/byte-size.ts"
import { type DurationInput, parseDuration } from "../../protocol/duration.ts"
import type { Outcome } from "../../protocol/errors/outcome.ts"
import { UploadError } from "../../protocol/errors/upload-error.ts"
import type { RetryOptions } from "../../transfer/retry.ts"
import { checkOptions } from "../check-options.ts"
import { uploadOptions } from "../known-options.ts"
import type { ServerUploadOptions } from "../server-upload-options.ts"
import { detailFields, type UploadDetails } from "../upload-source.ts"
import { createFetchTransport } from "./fetch-transport.ts"
import { type HostRules, parseAllowedHost } from "./host-rules.ts"
import { createNodeTransport } from "./node-transport.ts"
import type { Transport } from "./remote-answer.ts"

/** A file on another server, and how to store it. */
export interface RemoteFile extends UploadDetails {
  /** http or https, without user and password. */
  readonly url: string | URL
  /** By default the name that the server gives, otherwise the last part of the URL's path. */
  readonly name?: string | undefined
  /** Media type. By default the one that the server gives, unless that is `application/octet-stream`, otherwise the one for the name's extension. */
  readonly type?: string | undefined
  /**
   * Sent to the URL's own origin, never to one that it redirects to. Sluice sets headers for the connection and for
   * ranges itself.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** The names of the fields of a {@link RemoteFile}. */
export const remoteFields = [...detailFields, "url", "name", "type", "headers"] as const satisfies ReadonlyArray<
  keyof RemoteFile
>

/** Options of an upload from URLs: what may be fetched, how long to wait for it, and all options of `uploadFiles`. */
export interface FromUrlOptions extends ServerUploadOptions {
  /** The only hosts to fetch from: `"example.com"`, `"*.example.com"`. They apply to redirects too. */
  readonly allowedHosts?: ReadonlyArray<string> | undefined
  /**
   * Whether requests may go to addresses that are not public: this machine, its network, its cloud's services. Never
   * allow this for URLs from users, unless `allowedHosts` names the hosts.
   */
  readonly allowPrivateNetwork?: boolean | undefined
  /**
   * Bytes or `"100MB"`. Default: no limit, except 1GB for files whose size the server does not say, which are kept on
   * disk for a while.
   */
  readonly maxFileSize?: ByteSize | number | undefined
  /** How long to wait for an answer; its bytes must then arrive at 1 KiB/s on average over the same time. Default 30 seconds. */
  readonly timeout?: DurationInput | undefined
}

/** The part of {@link FromUrlOptions} that fetching needs. */
export interface FromUrlSettings extends HostRules {
  /** Bytes. */
  readonly maxFileSize: number | undefined
  /** ms. */
  readonly timeout: number
  readonly signal: AbortSignal
  /** How often to try a server that cannot be reached before its file counts as failed. */
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
