import { changeFiles, claim, deleteFiles } from "./commands/app.ts"
import { expire, forgetTombstones, pass, prune, reclaim, sweep } from "./commands/time.ts"
import { beginUpload, commit, commitWhole, deliver, fail, interrupt, register } from "./commands/uploads.ts"
import type { AnyCommand } from "./command.ts"

/** Everything that can be done to a catalog in a sequence. */
export const commands: ReadonlyArray<AnyCommand> = [
  beginUpload,
  commitWhole,
  interrupt,
  commit,
  fail,
  register,
  deliver,
  claim,
  changeFiles,
  deleteFiles,
  pass,
  sweep,
  expire,
  reclaim,
  prune,
  forgetTombstones,
]
