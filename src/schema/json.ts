import * as Schema from "effect/Schema"
import type { Json as JsonValue } from "../protocol/json.ts"

/** Any value that `JSON.parse` returned: accepted as it is, because it cannot be anything else. */
export const Json: Schema.Codec<JsonValue> = Schema.declare((_value: unknown): _value is JsonValue => true)
