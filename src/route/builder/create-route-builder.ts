import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { DurationInput } from "../../protocol/duration.ts"
import { parseDuration } from "../../protocol/duration.ts"
import type { Json } from "../../protocol/json.ts"
import { limits } from "../../protocol/limits.ts"
import type { RouteConfigInput } from "../../protocol/files/route-config.ts"
import { transports } from "../../protocol/signing/signed-url.ts"
import { UploadError } from "../../protocol/errors/upload-error.ts"
import type { RouteDefinition, RouteOptions, SluiceOptions } from "./file-route.ts"
import { refuseUnknown } from "../known-options.ts"
import { compileConfig } from "./route-config.ts"
import type { RouteBuilder } from "./route-steps.ts"

/** The builder behind all the step types: each step fills one field. */
class RouteSteps<Native extends object> {
  readonly #definition: RouteDefinition<Native>

  constructor(definition: RouteDefinition<Native>) {
    this.#definition = definition
  }

  #with(step: Partial<RouteDefinition<Native>>): RouteSteps<Native> {
    return new RouteSteps({ ...this.#definition, ...step })
  }

  input(input: StandardSchemaV1) {
    return this.#with({ input })
  }
  middleware(middleware: RouteDefinition<Native>["middleware"]) {
    return this.#with({ middleware })
  }
  file(file: RouteDefinition<Native>["file"]) {
    return this.#with({ file })
  }
  onUploadError(onUploadError: RouteDefinition<Native>["onUploadError"]) {
    return this.#with({ onUploadError })
  }
  onUploadComplete(onUploadComplete: RouteDefinition<Native>["onUploadComplete"]) {
    return { "~route": { ...this.#definition, onUploadComplete } }
  }
}

/** ms. Fails: throws an `UploadError`, code INVALID_CONFIG, that names the option. */
const checkDuration = (option: keyof RouteOptions, duration: DurationInput): number => {
  const parsed = parseDuration(duration)
  if (parsed.ok) return parsed.value
  throw new UploadError({ code: parsed.code, message: `${option}: ${parsed.detail}` })
}

const routeOptions = [
  "awaitServerData",
  "presignedUrlTtl",
  "claim",
  "hold",
  "transport",
  "fileKeySeed",
] as const satisfies ReadonlyArray<keyof RouteOptions>

/**
 * Makes the builder of file routes for requests that come with `Native` arguments.
 *
 * Fails: the builder throws an `UploadError` with code INVALID_CONFIG for an invalid size, count or duration, or an
 *        unknown option.
 */
export const createRouteBuilder = <Native extends object, ErrorData extends Json | undefined = undefined>(
  sluiceOptions: SluiceOptions<ErrorData> = {},
): RouteBuilder<Native, ErrorData> => {
  refuseUnknown("The options of createSluice", sluiceOptions, ["errorFormatter"])
  const begin = (config: RouteConfigInput, options: RouteOptions = {}) => {
    refuseUnknown("A route's second argument", options, routeOptions)
    // Here, where the route is written, and not at the first upload.
    if (options.claim !== undefined) checkDuration("claim", options.claim)
    if (options.hold !== undefined && typeof options.hold !== "boolean") {
      throw new UploadError({ code: "INVALID_CONFIG", message: "hold must be true or false." })
    }
    if (options.transport !== undefined && !transports.includes(options.transport)) {
      throw new UploadError({ code: "INVALID_CONFIG", message: 'transport must be "direct", or left out.' })
    }
    return new RouteSteps<Native>({
      config: compileConfig(config),
      awaitServerData: options.awaitServerData ?? true,
      presignedUrlTtl:
        options.presignedUrlTtl === undefined
          ? limits.presignedUrlTtl
          : checkDuration("presignedUrlTtl", options.presignedUrlTtl),
      claim: options.claim,
      hold: options.hold,
      transport: options.transport,
      fileKeySeed: options.fileKeySeed,
      errorFormatter: sluiceOptions.errorFormatter,
      input: undefined,
      middleware: undefined,
      file: undefined,
      onUploadComplete: () => null,
      onUploadError: undefined,
    })
  }
  return begin as unknown as RouteBuilder<Native, ErrorData>
}
