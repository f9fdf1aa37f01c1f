import { createSizeFormat, generateUploadButton, generateUploadDropzone } from "sluice/svelte"
import { createSessions } from "sluice/sessions"
import type { Routes } from "../../../showcase/routes.ts"

export const UploadButton = generateUploadButton<Routes>()

/** With sessions an upload survives a reload of the page. */
export const UploadDropzone = generateUploadDropzone<Routes>({ sessions: createSessions() })

export const formatSize = createSizeFormat("en")
