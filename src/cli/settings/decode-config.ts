import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Outcome } from "../../protocol.ts"
import { createDecoder } from "../../schema/decode.ts"
import type { Setting } from "./setting-kinds.ts"
import { ingestSettings, type SettingName } from "./settings.ts"

/** The content of a configuration file. */
export interface ConfigFile {
  /** Absolute. */
  readonly path: string
  /** Each of its settings, in the form of the command line. */
  readonly settings: { readonly [Name in SettingName]?: string }
}

const Scalar = Schema.Union([Schema.String, Schema.Number, Schema.Boolean])
const Value = Schema.Union([Scalar, Schema.Array(Scalar)])

/** A field in the form of the command line. */
const toText = (value: typeof Value.Type): string => (Array.isArray(value) ? value.join(", ") : String(value))

const toField = ({ parse }: Setting<unknown>) =>
  Schema.optionalKey(
    Value.check(
      Schema.makeFilter((value: typeof Value.Type) => {
        const parsed = parse(toText(value))
        return parsed.ok || parsed.detail.replace(/\.$/, "")
      }),
    ),
  )

const Config = Schema.Struct(
  Object.fromEntries(Object.entries(ingestSettings).map(([name, setting]) => [name, toField(setting)])),
).annotate({ messageUnexpectedKey: "There is no such setting" })

const decode = createDecoder(Config, "error")

/** The settings of a configuration file, each as text. Fails: as a value, one sentence for each wrong field. */
export const decodeConfig = (json: unknown): Outcome<ConfigFile["settings"]> =>
  Effect.runSync(
    Effect.match(decode(json), {
      onSuccess: (fields) => ({
        ok: true as const,
        value: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toText(value!)])),
      }),
      onFailure: (detail) => ({ ok: false as const, code: "INVALID_CONFIG" as const, detail }),
    }),
  )
