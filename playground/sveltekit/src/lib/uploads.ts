import { createSizeFormat, generateUploadButton, generateUploadDropzone } from "sluice/svelte"
import { createResumeStore } from "sluice/resume"
import type { Routes } from "../../../showcase/routes.ts"

export const UploadButton = generateUploadButton<Routes>()

/** With a resume store an upload survives a reload of the page. */
export const UploadDropzone = generateUploadDropzone<Routes>({ resumeStore: createResumeStore() })

export const formatSize = createSizeFormat("en")
