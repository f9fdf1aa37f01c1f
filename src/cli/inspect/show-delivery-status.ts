import { styleText } from "node:util"
import type { DeliveryStatus } from "../../ingest.ts"

const colours = { pending: "yellow", delivered: "green", dead: "red" } as const

/** The state of a delivery, in its colour. */
export const showDeliveryStatus = (status: DeliveryStatus): string => styleText(colours[status], status)
