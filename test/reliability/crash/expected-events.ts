import type { ReceivingApp } from "./receiving-app.ts"
import { isDeletion, isStored, type Upload } from "./world.ts"

/** Of an abandoned upload that never heard an offset nobody but the ingest knows whether it was begun. */
export const isBegun = ({ fate, acknowledged }: Upload): boolean => fate !== "abandoned" || acknowledged > 0

/** Its app is called, whatever happens. */
export const isOwed = (one: Upload): boolean => one.registers !== "never" && isBegun(one) && !isDeletion(one)

/** Name of the event that says what became of it. */
export const nameOf = (one: Upload): string => `${one.grant.key} ${isStored(one) ? "uploaded" : "failed"}`

/** Says what is wrong with the event of an upload whose app is owed one, if anything is. */
export const checkHeard = (one: Upload, app: ReceivingApp, violate: (what: string) => void): void => {
  const heard = app.heard.get(nameOf(one))
  if (heard === undefined) violate(`no event for ${nameOf(one)}`)
  else if (heard.ids.size !== 1) violate(`${heard.ids.size} event ids for ${nameOf(one)}`)
  else if (heard.last.status === "uploaded" && heard.last.file.fileHash !== one.fileHash) {
    violate(`the event for ${nameOf(one)} names another hash`)
  }
}
