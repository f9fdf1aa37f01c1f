import { changeFiles, claim, deleteFiles } from "./commands/app.ts"
import { deleteMatching, forgetDeletions } from "./commands/delete-matching.ts"
import { judgeFiles, report } from "./commands/judge.ts"
import { expire, forgetTombstones, pass, prune, reclaim, sweep } from "./commands/time.ts"
import { beginUpload, commit, commitWhole, deliver, fail, interrupt, register, send } from "./commands/uploads.ts"
import { type AnyCommand, defineCommand } from "./command.ts"

/** Everything that can be done in a sequence. */
export const commands: ReadonlyArray<AnyCommand> = [
  defineCommand(beginUpload),
  defineCommand(commitWhole),
  defineCommand(send),
  defineCommand(interrupt),
  defineCommand(commit),
  defineCommand(fail),
  defineCommand(register),
  defineCommand(deliver),
  defineCommand(claim),
  defineCommand(deleteMatching),
  defineCommand(forgetDeletions),
  defineCommand(judgeFiles),
  defineCommand(report),
  defineCommand(changeFiles),
  defineCommand(deleteFiles),
  defineCommand(pass),
  defineCommand(sweep),
  defineCommand(expire),
  defineCommand(reclaim),
  defineCommand(prune),
  defineCommand(forgetTombstones),
]
