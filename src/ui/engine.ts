import { attend } from "./page/attend.ts"
import { completeTexts } from "./texts/english-texts.ts"
import { findFieldProblem } from "./form/field-problem.ts"
import { used } from "./markup/used.ts"
import { tellOfRoute } from "./diagnosis/tell-of-route.ts"
import { createUploadEngine } from "./controller/upload-engine.ts"

/**
 * Everything that a component needs once it is used, in one piece: it is loaded when the pointer or focus comes near,
 * or with the first file. `upload-controller.ts` and the markup are always loaded.
 */
export const engine = { attend, completeTexts, createUploadEngine, findFieldProblem, tellOfRoute, used }

/** The type of the code that is loaded when a component is used. */
export type Engine = typeof engine
