import { stat } from "node:fs/promises"
import { envName, type Token } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import { type DataFolder, readKeptToken } from "../data-folder.ts"
import { failed, type Finding, ok, warning } from "./finding.ts"
import { readTokenVariable } from "../serve/given-token.ts"

const check = "Token"

/** Whether other users of this machine may read a file; never known on Windows. */
const isOpenToOthers = async (path: string): Promise<boolean> =>
  process.platform !== "win32" && ((await stat(path)).mode & 0o077) !== 0

const find = async (folder: DataFolder): Promise<{ token?: Token; finding: Finding }> => {
  const given = readTokenVariable()
  const kept = await readKeptToken(folder)
  const found = given ?? kept
  if (found === undefined) {
    return {
      finding: failed(
        check,
        `${envName("token")} is not set, and ${folder.tokenFile} does not exist.`,
        "Start `sluice dev` or `sluice ingest` once, or make one with `sluice token`.",
      ),
    }
  }
  const { token } = found
  if (given !== undefined && kept !== undefined && given.token.appId !== kept.token.appId) {
    return {
      token,
      finding: warning(
        check,
        `${envName("token")} is of the app ${token.appId}, but the data folder keeps one of ${kept.token.appId}.`,
        `Unset ${envName("token")}, or use the data folder of that app (--data).`,
      ),
    }
  }
  if (given === undefined && (await isOpenToOthers(folder.tokenFile))) {
    return {
      token,
      finding: warning(
        check,
        `Other users of this machine can read ${folder.tokenFile}.`,
        `Close it: chmod 600 ${folder.tokenFile}`,
      ),
    }
  }
  const source = given === undefined ? folder.tokenFile : envName("token")
  return { token, finding: ok(check, `of the app ${token.appId}, from ${source}`) }
}

/** Looks for the token as `sluice ingest` does; tells what is wrong with it, and the token where there is one. */
export const checkToken = async (folder: DataFolder): Promise<{ token?: Token; finding: Finding }> => {
  try {
    return await find(folder)
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    return { finding: failed(check, error.message, "Make a new one with `sluice token`.") }
  }
}
