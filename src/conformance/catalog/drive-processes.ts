import { afterEach, beforeEach } from "../cases.ts"
import type { Catalog, CatalogProcesses, ProcessLook } from "../../ingest.ts"

/** Longer than any case takes, ms. */
export const long = 60_000

/** The part of a catalog that its processes know each other by. */
export const processesOf = ({ processes }: Catalog): CatalogProcesses => {
  if (processes === undefined) throw new Error("a catalog that several ingests share has `processes`")
  return processes
}

/** A process looks, and counts as alive until the case is over. */
export const look = (
  process: Catalog,
  { lease = long, active = {} }: Partial<Parameters<CatalogProcesses["look"]>[0]> = {},
): Promise<ProcessLook> => processesOf(process).look({ lease, active })

/** A process is heard of no more: its lease is over, and nobody has looked since. */
export const die = async (process: Catalog): Promise<void> => {
  await look(process, { lease: 1 })
  await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Asks until it is so: where it never is, the case ends by the limit of the runner. */
export const untilSo = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Opens a second process beside the first one, for each case of the group that this is called in. */
export const openOther = (openBeside: () => Promise<Catalog>): (() => Catalog) => {
  let other: Catalog
  beforeEach(async () => {
    other = await openBeside()
  })
  afterEach(() => other.close())
  return () => other
}
