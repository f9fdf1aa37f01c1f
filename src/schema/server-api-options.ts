import * as Schema from "effect/Schema"
import { type AppConfiguration, appOptions, optional } from "./app-options.ts"

/** How a file is named in a call: by its key, or by the custom id that its app gave it. */
export type KeyType = "fileKey" | "customId"

/** The options of the server API that can also come from the environment. */
export interface ServerApiConfiguration extends AppConfiguration {
  readonly defaultKeyType?: KeyType | undefined
}

/** The fields of {@link ServerApiConfiguration}. Source: docs/protocol.md §1, §2. */
export const serverApiOptions = {
  ...appOptions,
  defaultKeyType: optional(Schema.Literals(["fileKey", "customId"])),
}

export const ServerApiConfigurationSchema: Schema.Codec<ServerApiConfiguration> = Schema.Struct(serverApiOptions)
