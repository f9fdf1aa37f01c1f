import { generateUploadButton, generateUploadDropzone, generateUseUploader } from "../../../../adapters/svelte.ts"
import { readFixture } from "../fixture.ts"
import type { router } from "../router.ts"

export const { component, setup, props } = readFixture()

export const UploadButton = generateUploadButton<typeof router>(setup)
export const UploadDropzone = generateUploadDropzone<typeof router>(setup)
export const useUploader = generateUseUploader<typeof router>(setup)
