import type { ResumeStore } from "../../client/resume/resume-store.ts"

interface PickerOptions {
  readonly accept: string
  readonly isMultiple: boolean
}

type Picker = (options: {
  multiple: boolean
  types?: Array<{ accept: Record<string, Array<string>> }>
}) => Promise<Array<FileSystemFileHandle>>

/**
 * Lets the user pick files with handles, so that they can be opened again after a reload.
 *
 * @returns undefined where the browser has no such picker: use a file input
 */
export const pickWithHandles = (
  { accept, isMultiple }: PickerOptions,
  attach: ResumeStore["attachHandle"],
): Promise<ReadonlyArray<File> | undefined> => {
  const picker = (globalThis as { showOpenFilePicker?: Picker }).showOpenFilePicker
  if (picker === undefined) return Promise.resolve(undefined)
  const types =
    accept === "" ? undefined : [{ accept: Object.fromEntries(accept.split(",").map((type) => [type, []])) }]
  return picker({ multiple: isMultiple, ...(types && { types }) }).then(
    (handles) =>
      Promise.all(
        handles.map(async (handle) => {
          const file = await handle.getFile()
          attach(file, handle)
          return file
        }),
      ),
    // Closed without a choice; any other error is a browser or a frame that does not allow it.
    (error: unknown) => ((error as Error).name === "AbortError" ? [] : undefined),
  )
}
