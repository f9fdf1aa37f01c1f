import type { ComponentKind } from "./component.ts"
import { createRowParts } from "./row-parts.ts"

/** Renders nothing: for markup of your own, made from the component's parts. */
export const headless: ComponentKind = { name: "headless", mode: "manual", createRowParts, describe: () => [] }
