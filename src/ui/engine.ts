import { attend } from "./attend.ts"
import { completeTexts } from "./english-texts.ts"
import { findFieldProblem } from "./field-problem.ts"
import { used } from "./markup/used.ts"
import { tellOfRoute } from "./tell-of-route.ts"
import { createUploadEngine } from "./upload-engine.ts"

/**
 * What a component needs once somebody uses it, in one piece: it is loaded when somebody comes near, or with the first file.
 * What is always there is `upload-controller.ts` and the markup.
 */
export const engine = { attend, completeTexts, createUploadEngine, findFieldProblem, tellOfRoute, used }

/** What is loaded when a component is used. */
export type Engine = typeof engine
