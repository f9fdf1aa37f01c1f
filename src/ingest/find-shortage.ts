import * as Effect from "effect/Effect"
import type { Rejected } from "../server-kit/rejected.ts"
import { attempt } from "./attempt.ts"
import type { FreeSpace } from "./storage/free-space.ts"

/** Reserves room for what the catalog is to keep beside files. Succeeds with the refusal where the disks have none, else undefined. */
export const findShortage = (space: Pick<FreeSpace, "admit">, bytes: number): Effect.Effect<Rejected | undefined> =>
  Effect.match(
    attempt(async () => space.admit(bytes)),
    { onFailure: (refusal) => refusal, onSuccess: () => undefined },
  )
