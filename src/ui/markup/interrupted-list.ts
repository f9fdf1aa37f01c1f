import type { InterruptedUpload } from "../../client/resume/resume-store.ts"
import type { ComponentView } from "./component-view.ts"
import { describeName } from "./file-list.ts"
import { describe, type Markup } from "./markup.ts"
import { toShownName } from "../files/shown-name.ts"

const button = (name: string, says: string, click: () => void, label = says): Markup =>
  describe(
    "button",
    name,
    { attributes: { type: "button", "data-sluice": name, "aria-label": label }, on: { click: () => click() } },
    [says],
  )

const describeRow = (component: ComponentView, upload: InterruptedUpload, resume: () => void): Markup => {
  const { state, texts, controller } = component
  const { id, reopen } = upload
  const name = toShownName(upload.name)
  const { otherFile } = state
  const isOther = otherFile?.id === id
  const says = reopen === undefined ? texts.chooseAgain() : texts.continue()
  const row = [
    describe("span", "name", { attributes: { "data-sluice": "file-name", title: name } }, [describeName(name)]),
    describe("span", "size", { attributes: { "data-sluice": "file-state" } }, [texts.interruptedState(upload)]),
  ]
  const given = otherFile?.files ?? []
  const names = given.map((file) => toShownName(file.name)).join(", ")
  return describe(
    "li",
    id,
    { attributes: { "data-sluice": "interrupted-file" } },
    isOther
      ? [
          ...row,
          describe("p", "question", { attributes: { "data-sluice": "question", role: "alert" } }, [
            describe("strong", "given", {}, [names]),
            ` ${texts.otherFile(upload.size, given.length)}`,
          ]),
          button(
            "continue",
            texts.uploadToo(),
            () => controller.answerOtherFile(true),
            texts.actOn(texts.uploadToo(), names),
          ),
          button(
            "discard",
            texts.leaveOut(),
            () => controller.answerOtherFile(false),
            texts.actOn(texts.leaveOut(), names),
          ),
        ]
      : [
          ...row,
          button("continue", says, resume, texts.actOn(says, name)),
          button(
            "discard",
            texts.discard(),
            () => controller.discardInterrupted(id),
            texts.actOn(texts.discard(), name),
          ),
        ],
  )
}

/** Uploads that a reload has interrupted, to be resumed or discarded. */
export const describeInterrupted = (component: ComponentView): Markup | undefined => {
  const { state, texts, controller, parts } = component
  const { interrupted } = state
  if (interrupted.length === 0) return undefined
  const resume = async (id: string) => {
    if (!(await controller.continueInterrupted(id))) parts.openPicker(id)
  }
  const resumeAll = async () => {
    let isMissing = false
    for (const { id } of interrupted) if (!(await controller.continueInterrupted(id))) isMissing = true
    // Those are recognised among the chosen files.
    if (isMissing) parts.openPicker()
  }
  const rows = interrupted.map((upload) => describeRow(component, upload, () => void resume(upload.id)))
  return describe("div", "interrupted-box", { attributes: { "data-sluice": "interrupted-box" } }, [
    describe(
      "ul",
      "interrupted",
      { attributes: { "data-sluice": "interrupted", role: "list", "aria-label": texts.interrupted() } },
      rows,
    ),
    interrupted.length > 1 &&
      describe("div", "all", { attributes: { "data-sluice": "actions" } }, [
        button("continue-all", texts.continueAll(), () => void resumeAll()),
        button("discard-all", texts.discardAll(), () =>
          interrupted.forEach(({ id }) => controller.discardInterrupted(id)),
        ),
      ]),
  ])
}
