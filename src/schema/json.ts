import * as Schema from "effect/Schema"
import type { Json as JsonValue } from "../protocol/json.ts"

/** Any value `JSON.parse` gave: taken as it is, for it cannot be anything else. */
export const Json: Schema.Codec<JsonValue> = Schema.declare((_value: unknown): _value is JsonValue => true)
