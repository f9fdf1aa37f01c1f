import { existsSync } from "node:fs"
import { describeSystemError } from "../command-failure.ts"
import { toParts } from "../deployment/data-folder.ts"
import type { DataFolder } from "../deployment/deployment.ts"
import { adviseClosing, findExposure, findOpenParts, isAccessKnown } from "../deployment/data-folder-access.ts"
import { failed, type Finding, ok, warning } from "./finding.ts"

const check = "Access"

/** Whether other users of this machine can read a data folder, or replace it. */
export const checkAccess = async (folder: DataFolder): Promise<Finding> => {
  if (!isAccessKnown) return ok(check, "not checked on Windows: the rights of the folder around it decide who reads it")
  let exposure: string | undefined
  try {
    exposure = await findExposure(folder.path)
  } catch (error) {
    return failed(check, `${folder.path}: ${describeSystemError(error)}.`, "Say with --data which folder is meant.")
  }
  if (exposure !== undefined) {
    return failed(check, `${folder.path} is not safe: ${exposure}`, "Until then no ingest starts on it.")
  }
  if (!existsSync(folder.path))
    return ok(check, "there is no data folder yet; the ingest makes it, closed to other users")
  const open = await findOpenParts(toParts(folder))
  const [first] = open
  if (first === undefined) return ok(check, "other users of this machine can read nothing of the data folder")
  const parts = open.map(({ path, mode }) => `${path} (mode ${mode})`).join(", ")
  const advice = open.every(({ isOurs }) => isOurs)
    ? `Start the ingest anew, which closes them; or: ${open.map(({ path, wanted }) => `chmod ${wanted} ${path}`).join(" && ")}`
    : open.map(adviseClosing).join(" ")
  return warning(check, `Other users of this machine can read ${parts}.`, advice)
}
