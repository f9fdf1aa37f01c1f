import { styleText } from "node:util"
import { toPrintable } from "../terminal/printable.ts"
import { printTable } from "../terminal/table.ts"
import type { LeftOut } from "./manifest.ts"

const reasons: Record<LeftOut["reason"], string> = {
  missing: "its bytes are gone",
  shorter: "bytes are missing at its end",
  longer: "there are more bytes than were uploaded",
  changed: "its bytes have changed",
}

/** Prints which files have no intact bytes; nothing where there are none. */
export const showDamaged = (damaged: ReadonlyArray<LeftOut>, title: string): void => {
  if (damaged.length === 0) return
  console.log(`\n${title}`)
  printTable(
    [{ title: "KEY" }, { title: "NAME" }, { title: "DAMAGE" }],
    damaged.map(({ key, name, reason }) => [key, toPrintable(name), styleText("red", reasons[reason])]),
  )
}
