import { toValidityId } from "../page/element-ids.ts"
import { findFieldProblem } from "./field-problem.ts"
import type { AnyComponentOptions } from "../controller/upload-component-options.ts"
import { isPending } from "../files/choose-files.ts"
import { isOwnForm, sendAgain } from "./own-form.ts"
import type { UploadController } from "../controller/upload-controller.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"

/** A component in a form. */
export interface FieldOptions {
  /** Id of the outermost element. */
  readonly id: string
  /** Where its elements are: the document, or a shadow root. */
  readonly root: Document | ShadowRoot
  readonly controller: UploadController
  /** The component's latest options. */
  readonly options: () => AnyComponentOptions
  readonly texts: UploadTexts
}

/**
 * Makes a component a field of the form around it: the form is not sent while a file is missing, failed or uploading;
 * a reset restores the initial files; with `uploadOnSubmit`, sending the form first uploads the chosen files.
 *
 * @returns stops it
 */
export const connectField = ({ id, root, controller, options, texts }: FieldOptions): (() => void) => {
  /** Set while files are uploaded before the form is sent; a reset clears it. */
  let submitting: object | undefined
  const findProblem = () =>
    findFieldProblem(controller.getState(), options(), options().config?.uploadOnSubmit === true, texts)

  const check = () => {
    const control = root.getElementById(toValidityId(id)) as HTMLInputElement | null
    control?.setCustomValidity(findProblem()?.message ?? "")
  }

  /** Shows why, as browsers do in a form that they validate. */
  const report = () => {
    check()
    const control = root.getElementById(toValidityId(id)) ?? root.getElementById(id)?.parentElement
    ;(control as Partial<HTMLInputElement> | null | undefined)?.reportValidity?.()
  }

  /** Waits until no file is uploading. */
  const settle = () =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (controller.getState().isUploading) return
        unsubscribe()
        resolve()
      }
      const unsubscribe = controller.subscribe(look)
      look()
    })

  const upload = async () => {
    controller.resumeUpload()
    await controller.startUpload()
    await settle()
    const { files } = controller.getState()
    return files.every(({ status }) => status === "done" || status === "aborted")
  }

  /** The app may delete them now. What was replaced a moment ago, by this very submission, is offered by code that is still being loaded. */
  const forgetRemoved = () => {
    if (controller.getState().removed !== undefined) controller.forgetRemoved()
  }

  const onSubmit = (event: Event) => {
    const { target, submitter } = event as SubmitEvent
    if (!isOwnForm(id, root, target)) return
    if ((submitter as HTMLButtonElement | null)?.formNoValidate) return forgetRemoved()
    const stop = () => {
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    if (options().config?.uploadOnSubmit !== true) {
      // Code that sets `noValidate` has its own rules for missing files. But it does not know that files are still
      // uploading, and neither do browsers that validated before they were told.
      if (findProblem()?.kind !== "customError") return forgetRemoved()
      stop()
      return report()
    }
    const { files } = controller.getState()
    const isReady = !files.some((item) => isPending(item) || item.status === "failed")
    if (isReady && submitting === undefined) return forgetRemoved()
    stop()
    if (submitting !== undefined) return
    // A form that browsers do not validate.
    if (findProblem() !== undefined) return report()
    const own = (submitting = {})
    void upload()
      // Frameworks render what `onValueChange` has told them in a task of their own.
      .then((isStored) => new Promise<boolean>((resolve) => setTimeout(() => resolve(isStored))))
      .then((isStored) => {
        if (submitting !== own) return
        submitting = undefined
        if (isStored) sendAgain(target, submitter)
      })
  }

  const onReset = (event: Event) => {
    if (!isOwnForm(id, root, event.target)) return
    // A later listener may prevent it.
    setTimeout(() => {
      if (event.defaultPrevented) return
      submitting = undefined
      controller.reset()
    })
  }

  // Before all other listeners: those of frameworks are further in.
  root.addEventListener("submit", onSubmit, true)
  root.addEventListener("reset", onReset)
  // After the framework has rendered.
  const unsubscribe = controller.subscribe(() => setTimeout(check))
  check()
  return () => {
    root.removeEventListener("submit", onSubmit, true)
    root.removeEventListener("reset", onReset)
    unsubscribe()
  }
}
