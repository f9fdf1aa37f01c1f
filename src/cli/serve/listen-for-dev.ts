import { isBadPort } from "../../schema/http-url.ts"
import { CommandFailure } from "../command-failure.ts"
import type { DataFolder } from "../deployment/deployment.ts"
import { toNearPath } from "./announce-ingest.ts"
import { keepDevPort, portFile, readDevPort } from "./dev-port.ts"
import { listOtherProjects, noteProject } from "./dev-projects.ts"
import { findPortHolder, howToFindHolder } from "./port-holder.ts"
import { type IngestServer, listenForIngest, PortInUse } from "./serve-ingest.ts"

/** How many ports above the first one are tried for a new project. */
const attempts = 100

/** What uses the port, as far as can be determined, and what to do about it. */
const describeTaken = async (port: number, folder: DataFolder): Promise<string> => {
  const others = await listOtherProjects(folder.path)
  const holder = await findPortHolder(port)
  const other = others.find((one) => one.port === port)
  const by =
    holder === undefined && other === undefined
      ? `\`${howToFindHolder(port)}\` says by which program`
      : [holder, other && `the project of ${other.path} has the same port`]
          .filter((part) => part !== undefined)
          .join("; ")
  return `Port ${port} is in use: ${by}.`
}

/** The first port, starting with the wanted one, that is free and that no other project of this user keeps. */
const listenOnNewPort = async (host: string, wanted: number, { path }: DataFolder): Promise<IngestServer> => {
  const kept = new Set((await listOtherProjects(path)).map(({ port }) => port))
  const last = Math.min(wanted + attempts, 65_535)
  for (let port = wanted; ; port++) {
    if ((kept.has(port) || isBadPort(port)) && port < last) continue
    try {
      return await listenForIngest(host, port)
    } catch (error) {
      if (!(error instanceof PortInUse) || port >= last) throw error
    }
  }
}

/**
 * Listens on the port of the project: the given one, otherwise the one that its data folder keeps, otherwise a new
 * one, which it keeps from then on. URLs of files contain the port, and apps store them: with another port they would
 * lead nowhere.
 *
 * @param isGiven whether the user has chosen the port; 0 takes any free one and is not kept, nor is one where there is no data folder
 *
 * Fails: with a {@link CommandFailure} that says what uses the port and what to do.
 */
export const listenForDev =
  (isGiven: boolean) =>
  async (host: string, port: number, folder: DataFolder | null): Promise<IngestServer> => {
    if (port === 0 || folder === null) return listenForIngest(host, port)
    const wanted = isGiven ? port : await readDevPort(folder)
    try {
      const server =
        wanted === undefined ? await listenOnNewPort(host, port, folder) : await listenForIngest(host, wanted)
      try {
        await keepDevPort(folder, server.port)
      } catch (error) {
        await server.close()
        throw error
      }
      await noteProject(folder.path)
      return server
    } catch (error) {
      if (!(error instanceof PortInUse) || wanted === undefined) throw error
      const taken = await describeTaken(wanted, folder)
      throw new CommandFailure(
        isGiven
          ? `${taken} Stop it, or choose another port with --port.`
          : `${taken} It is this project's (${toNearPath(portFile(folder))}), and the URLs its app has stored name it. ` +
              "Stop what uses it; or give the project another for good, by starting it once with --port <number>.",
      )
    }
  }
