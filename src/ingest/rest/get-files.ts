import * as Effect from "effect/Effect"
import { FoundFilesSchema, GetFilesRequestSchema } from "../../schema/rest.ts"
import { attempt } from "../attempt.ts"
import { listedFileExample, toListedFile } from "./listed-file.ts"
import { defineOperation } from "./operation.ts"

/** Source: docs/protocol.md §10. */
export const getFiles = defineOperation({
  summary: "Get files by their keys",
  description:
    "In any state, in the order of the keys. Files that do not exist are left out, and with `owner` those of others.",
  request: GetFilesRequestSchema,
  answer: FoundFilesSchema,
  example: {
    request: { fileKeys: ["kE2xQm7PzVnYb9tR4wLcH3sD"], owner: "user-7" },
    answer: {
      files: [listedFileExample],
    },
  },
  act: ({ service, app }, { fileKeys, owner }) =>
    Effect.map(
      attempt(() => service.catalog.getMany([...new Set(fileKeys)])),
      (uploads) => {
        const meant = uploads
          .map(({ file }) => file)
          .filter((file) => file.appId === app.id && (owner === undefined || file.owner === owner))
        const found = new Map(meant.map((file) => [file.key, toListedFile(file, app.defaultAcl)]))
        return { files: [...new Set(fileKeys)].flatMap((key) => found.get(key) ?? []) }
      },
    ),
})
