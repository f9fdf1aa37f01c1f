import {
  generateUploadAvatar,
  generateUploadButton,
  generateUploadDropzone,
  generateUploadTray,
  generateUseUploader,
} from "../../../../bindings/svelte.ts"
import { readFixture } from "../fixture.ts"
import type { router } from "../router.ts"

export const { component, setup, props, second, uploads, tray, onNavigate } = readFixture()

export const UploadAvatar = generateUploadAvatar<typeof router>(setup)
export const UploadButton = generateUploadButton<typeof router>(setup)
export const UploadDropzone = generateUploadDropzone<typeof router>(setup)
export const UploadTray = uploads && generateUploadTray(uploads)
export const useUploader = generateUseUploader<typeof router>(setup)
