import type { ComponentKind } from "./component.ts"
import { createRowParts } from "./row-parts.ts"

/** Nothing to see: for markup of your own, made of the component's parts. */
export const headless: ComponentKind = { name: "headless", mode: "manual", createRowParts, describe: () => [] }
