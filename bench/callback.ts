import { join } from "node:path"
import { handlerFigures } from "./handler.ts"
import type { Report } from "./report.ts"
import { runRounds } from "./rounds.ts"

/** One verified callback: signature, decoding, `onUploadComplete`, the result posted to a mocked ingest, the answer. */
export const benchCallback = async (rounds = 5): Promise<ReadonlyArray<Report>> => {
  const cases = ["sluice", "uploadthing", "floor"].map((name) => ({
    name,
    args: [join(import.meta.dirname, "measure.ts"), name, "callback"],
  }))
  return [
    {
      title: "Verified callback",
      figures: handlerFigures,
      rounds: await runRounds(cases, rounds),
      aims: [
        { of: "sluice", to: "uploadthing", figure: "rate", atLeast: 10 },
        { of: "sluice", to: "floor", figure: "rate" },
      ],
    },
  ]
}
