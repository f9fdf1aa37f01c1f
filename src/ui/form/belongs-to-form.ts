import type { AnyComponentOptions } from "../controller/upload-component-options.ts"

/** Whether a component is a field of a form: its files are part of what the form sends, and of nothing else. */
export const belongsToForm = ({ name, value, initialFiles, required, config }: AnyComponentOptions): boolean =>
  [name, value, initialFiles].some((option) => option !== undefined) || !!required || !!config?.uploadOnSubmit
