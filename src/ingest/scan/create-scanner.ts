import { parseClamdAddress } from "../../schema/clamd-address.ts"
import type { Settings } from "../settings.ts"
import { createClamd } from "./clamd.ts"
import type { Scanner } from "./scanner.ts"

/** The scanner of an ingest's settings, which were checked before; undefined where they name none. */
export const createScanner = ({ scan, scanTimeout }: Pick<Settings, "scan" | "scanTimeout">): Scanner | undefined => {
  const address = scan && parseClamdAddress(scan.clamd)
  return address?.ok ? createClamd(address.value, scan!.clamd, scanTimeout) : undefined
}
