import { keepClear } from "./keep-clear.ts"
import { announceEvents } from "../announcements/announce-events.ts"
import { toMainId } from "../page/element-ids.ts"
import { completeTexts, createUploadTexts } from "../texts/english-texts.ts"
import { foldWhenOver } from "./fold-when-over.ts"
import { keepFocus } from "../rows/keep-focus.ts"
import { createLeftUploads, type LeftUploads } from "./left-uploads.ts"
import { matchesMedia } from "../page/matches-media.ts"
import { watchNearRows } from "../rows/near-rows.ts"
import { startPreviews } from "../pictures/previews.ts"
import { showTitleProgress } from "./title-progress.ts"
import type { UploadController } from "../controller/upload-controller.ts"
import type { UploadState } from "../controller/upload-state.ts"
import type { Uploads, UploadsSource } from "./uploads.ts"
import { unfoldNames } from "../rows/unfold-names.ts"
import { walkRows } from "../rows/walk-rows.ts"
import type { KindView } from "../markup/component.ts"
import { describeFileList } from "../markup/file-list.ts"
import type { DescribePart } from "../markup/looks.ts"
import { describe, type Markup, type Part } from "../markup/markup.ts"
import { createUploadParts } from "../markup/parts.ts"
import { sayOfAll } from "../markup/say-of-all.ts"
import { used } from "../markup/used.ts"
import type { UploadTrayProps } from "./upload-tray-props.ts"

/** The options of a panel. */
export interface TrayPanelOptions {
  readonly uploads: Uploads<any>
  readonly id: string
  readonly root: () => NonElementParentNode
  readonly getState: () => UploadState
  readonly subscribe: UploadsSource["subscribe"]
  /** Renders again. */
  readonly tell: () => void
  /** The latest props. */
  readonly props: () => UploadTrayProps<any>
}

/** The content of a tray once there are uploads. */
export interface TrayPanel {
  readonly isFolded: () => boolean
  /** Uploads that a reload has interrupted. The same object until something changes. */
  readonly left: () => Pick<UploadState, "interrupted" | "otherFile">
  readonly describe: (part: DescribePart) => Markup
  /**
   * Call it when the tray is on a page.
   *
   * @param known the last state, which is not announced
   */
  readonly connect: (known: UploadState) => () => void
}

/** By uploads, so that a replaced layout does not unfold the next layout's tray. */
const folded = new WeakMap<object, boolean>()

/** Uploads whose tray has folded by itself, because all is done. */
const quiet = new WeakSet<object>()

/** Whether the tray would cover half of the screen. */
const isSmall = (): boolean => matchesMedia("(width < 40rem), (height < 30rem)")

/** Acts on a file through its own controller; acts on all files through the uploads. */
const toController = (
  uploads: Uploads<any>,
  { getState, subscribe }: UploadsSource,
  left?: LeftUploads,
): UploadController =>
  new Proxy({ ...uploads, ...left, getState, subscribe } as unknown as UploadController, {
    get: (own, name: keyof UploadController) =>
      own[name] ??
      ((id: string, ...rest: ReadonlyArray<never>) =>
        (uploads.controllerOf(id)?.[name] as ((...args: ReadonlyArray<unknown>) => unknown) | undefined)?.(
          id,
          ...rest,
        )),
  })

/** Makes the panel of a tray. It is loaded with the first upload. */
export const createTrayPanel = ({
  uploads,
  id,
  root,
  getState,
  subscribe,
  tell,
  props,
}: TrayPanelOptions): TrayPanel => {
  // Files are here before the engine of their component is loaded.
  const own = props().texts && { ...uploads.setup.options.texts, ...props().texts }
  const texts = own ? createUploadTexts(own) : completeTexts(uploads.setup.texts, uploads.setup.options.texts)
  const left = createLeftUploads(uploads, tell)
  const controller = toController(uploads, { getState, subscribe }, left)
  const isFolded = () => folded.get(uploads.setup) ?? (quiet.has(uploads.setup) || isSmall())
  const fold = (isWanted: boolean) => {
    if (isFolded() === isWanted) return
    folded.set(uploads.setup, isWanted)
    tell()
  }
  /** The element that had the focus before the tray. */
  let before: HTMLElement | undefined
  const close = () => {
    uploads.clear(["done", "aborted", "failed"])
    left.putAway()
    // After it is gone: an element that is left in it would keep the focus.
    setTimeout(() => {
      if (element()?.querySelector("section") === null && document.activeElement === document.body) before?.focus()
    }, 50)
  }
  const isOver = () => getState().summary.active + getState().summary.paused === 0
  const element = () => root().getElementById(id)

  const describeHeader = (): Markup => {
    const state = getState()
    const { timeLeft, files } = state
    const isOpen = !isOver()
    const { what, retrying } =
      files.length === 0 ? { what: texts.interrupted() } : sayOfAll({ state, texts }, isFolded())
    const bodyId = `${id}-body`
    return describe(
      "div",
      "header",
      {
        attributes: { "data-sluice": "tray-header" },
        on: {
          click: ({ target }) => {
            if ((target as Element).closest("button") === null) fold(!isFolded())
          },
        },
      },
      [
        describe("p", "title", { attributes: { "data-sluice": "tray-title" } }, [
          describe("span", "what", {}, [what || texts.uploads()]),
          retrying !== undefined && describe("span", "retrying", {}, [retrying]),
          isOpen && timeLeft !== undefined && describe("span", "left", {}, [texts.timeLeft(timeLeft)]),
        ]),
        describe("button", "fold", {
          attributes: {
            type: "button",
            id: toMainId(id),
            "data-sluice": "tray-button",
            "data-action": "fold",
            "aria-label": texts.showFiles(),
            title: texts.showFiles(),
            "aria-expanded": String(!isFolded()),
            "aria-controls": isFolded() ? undefined : bodyId,
          },
          on: { click: () => fold(!isFolded()) },
        }),
        !isOpen &&
          describe("button", "close", {
            attributes: {
              type: "button",
              "data-sluice": "tray-button",
              "data-action": "cancel",
              "aria-label": texts.close(),
              title: texts.close(),
            },
            on: { click: close },
          }),
      ],
    )
  }

  /** For the files of interrupted uploads; several at once. */
  const describeInput = ({ attributes, on }: Part): Markup =>
    describe("input", "input", { attributes: { ...attributes, multiple: true, "aria-label": texts.interrupted() }, on })

  const describePanel = (view: KindView): Markup =>
    describe(
      "section",
      "tray",
      {
        attributes: {
          "data-sluice": "tray",
          "aria-label": props()["aria-label"] ?? texts.uploads(),
          "data-folded": isFolded() ? "" : undefined,
        },
      },
      [
        view.state.interrupted.length > 0 && describeInput(view.parts.input),
        describeHeader(),
        isFolded() && !isOver() && view.part("div", "summaryProgress", view.parts.progress()),
        !isFolded() &&
          describe(
            "div",
            "body",
            {
              // It scrolls, which Firefox makes a stop of the Tab key.
              attributes: { "data-sluice": "tray-body", id: `${id}-body`, tabindex: -1 },
            },
            [
              used.describeInterrupted(view),
              used.describeNotice(view),
              used.describeSummary(view),
              describeFileList(view),
            ],
          ),
      ],
    )

  return {
    isFolded,
    left: left.getState,
    describe: (part) => {
      const state = getState()
      const { resumeStore } = uploads.setup.options
      const parts = createUploadParts({ controller, state, texts, config: {}, resumeStore, id, root, used })
      return describePanel({
        controller,
        state,
        texts,
        parts,
        part,
        id,
        isMultiple: true,
        validity: undefined,
        blocking: undefined,
        looks: {},
        isThin: false,
        isField: false,
        config: {},
        used,
        nameMain: (says) => ({ attributes: {}, children: [says] }),
      })
    },
    connect: (known) => {
      // A component on the page announces its files itself, and shows their pictures.
      const speak = (known: UploadState) =>
        announceEvents(id, root, known, uploads.unattended as UploadController, texts)
      let hush = speak(known)
      const tree = root() as Document | ShadowRoot
      const takePictures = () => {
        const controller = toController(uploads, uploads.unattended)
        const rows = watchNearRows({ id, root: tree, controller })
        const end = startPreviews({ id, root: tree, rows, controller, isWanted: () => true })
        return () => {
          end()
          rows?.end()
        }
      }
      let endPreviews = takePictures()
      const unattend = uploads.onAttend(() => {
        hush()
        hush = speak(uploads.unattended.getState() as UploadState)
        endPreviews()
        endPreviews = takePictures()
      })
      const release = keepFocus(id, tree, subscribe)
      const halt = walkRows(id, tree, subscribe)
      const refold = unfoldNames(id, tree)
      const uncover = keepClear(element, () => fold(true))
      const unlist = left.connect()
      const unfold = foldWhenOver({
        getState,
        subscribe,
        // A click on a text in it puts the focus on what scrolls, and uses nothing.
        isInUse: () => element()?.matches(":hover") === true || !!element()?.querySelector("button:focus"),
        fold: (isOver) => {
          if (quiet.has(uploads.setup) === isOver) return
          if (isOver) quiet.add(uploads.setup)
          else quiet.delete(uploads.setup)
          tell()
        },
      })
      const untitle = showTitleProgress({ getState, subscribe }, () => props().titleProgress === true)
      const onFocus = (event: Event) => {
        const { target, relatedTarget } = event as FocusEvent
        const isInside = (node: EventTarget | null) => element()?.contains(node as Node | null) === true
        if (isInside(target) && !isInside(relatedTarget)) before = (relatedTarget as HTMLElement | null) ?? undefined
      }
      const onKey = (event: Event) => {
        if ((event as KeyboardEvent).key !== "Escape" || event.defaultPrevented || isFolded()) return
        if (!element()?.contains(event.target as Node)) return
        fold(true)
        tree.getElementById(toMainId(id))?.focus()
      }
      tree.addEventListener("focusin", onFocus)
      tree.addEventListener("keydown", onKey)
      return () => {
        tree.removeEventListener("keydown", onKey)
        tree.removeEventListener("focusin", onFocus)
        untitle()
        unfold()
        unlist()
        uncover()
        halt()
        refold()
        release()
        unattend()
        hush()
        endPreviews()
      }
    },
  }
}
