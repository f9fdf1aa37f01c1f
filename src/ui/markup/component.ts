import type { TypedFileRoute, TypedFileRouter } from "../../protocol/files/file-route.ts"
import { takesSeveral } from "../files/accepted-files.ts"
import { toMainId, toValidityId } from "../page/element-ids.ts"
import type { Engine } from "../engine.ts"
import type { FieldProblem, findRequiredProblem } from "../form/required-problem.ts"
import { listenToDrops } from "../drop/listen-to-drops.ts"
import { listKeys } from "../form/stored-files.ts"
import { joinForm } from "../form/join-form.ts"
import { preloadOnIntent } from "../page/preload-on-intent.ts"
import type {
  AnyComponentOptions,
  UploadComponentOptions,
  UploadConfig,
} from "../controller/upload-component-options.ts"
import { createUploadController } from "../controller/create-upload-controller.ts"
import type { UploadController } from "../controller/upload-controller.ts"
import type { UploadSetup } from "../controller/upload-setup.ts"
import type { UploadState } from "../controller/upload-state.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"
import type { LendingHome } from "../tray/uploads.ts"
import type { ComponentView } from "./component-view.ts"
import { createDescribePart, type UploadLooks } from "./looks.ts"
import { lookForStyles, lookForStylesInDevelopment } from "./look-for-styles.ts"
import { describe, type Markup } from "./markup.ts"
import { nameMain, toGroup } from "./names.ts"
import { createUploadParts, type UploadParts } from "./parts.ts"
import type { createRowParts } from "./row-parts.ts"

/** What a kind of component is described from. */
export interface KindView extends ComponentView {
  /** The code that describes it after its first use; undefined before. */
  readonly used: Engine["used"] | undefined
}

/** Describes the content of a component. */
export type DescribeComponent = (view: KindView) => ReadonlyArray<Markup | undefined | false>

/** A component before it is rendered by a framework. */
export interface ComponentKind {
  readonly name: string
  readonly mode: "auto" | "manual"
  /** Whether it shows a row for each file. */
  readonly hasList?: boolean
  /** For kinds whose rows are shown before the first use, such as stored files. */
  readonly createRowParts?: typeof createRowParts
  /** Whether the platform itself makes it a field of its form. */
  readonly isFormAssociated?: boolean
  /** For such kinds: what keeps the form from being sent before the first use. Other kinds load code with their form. */
  readonly findProblem?: typeof findRequiredProblem
  /** Default of `config.previews`; `thumbnail` if it is not set. */
  readonly previews?: UploadConfig["previews"]
  readonly describe: DescribeComponent
  /** Lets a kind wrap the controller, for example to crop chosen files before they are listed. */
  readonly adapt?: (controller: UploadController<any>, context: KindContext) => UploadController<any>
}

/** The component's place and options. */
export interface KindContext {
  /** Id of its outermost element. */
  readonly id: string
  readonly root: () => NonElementParentNode
  readonly texts: UploadTexts
  /** The latest configuration. */
  readonly config: () => UploadConfig
}

/** Props of a component, in every framework. `Node`: the type of its content. */
export type UploadComponentProps<
  Router extends TypedFileRouter,
  Slug extends keyof Router & string,
  Node,
> = UploadComponentOptions<Router, Slug> & UploadLooks<Node>

/** One component on a page: its controller, and its current markup. */
export interface UploadComponent<Route extends TypedFileRoute<any> = TypedFileRoute> extends UploadController<Route> {
  /** For markup of your own. */
  readonly parts: () => UploadParts
  /** Which file, or what else, keeps a form from being sent. */
  readonly problem: () => FieldProblem | undefined
  /** The markup to render now; `props` where they are newer than those of `setOptions`. */
  readonly render: (props?: UploadComponentProps<any, any, unknown>) => Markup
}

declare const process: { readonly env: { readonly NODE_ENV?: string | undefined } }

const join = (...classes: Array<string>): string => classes.join(" ")

/**
 * Makes a component for a framework to render.
 *
 * @param id unique in its tree, and the same on the server and in the page
 * @param root that tree, if it is not the document: a shadow root
 */
export const createUploadComponent = <Router extends TypedFileRouter, Slug extends keyof Router & string>(
  given: UploadSetup<Router>,
  kind: ComponentKind,
  initial: UploadComponentOptions<Router, Slug> & UploadLooks,
  id: string,
  root: () => NonElementParentNode = () => document,
): UploadComponent<Router[Slug]> => {
  type Props = UploadComponentOptions<Router, Slug> & UploadLooks
  const complete = (given: Props) =>
    ({
      ...given,
      config: {
        ...given.config,
        mode: given.config?.mode ?? kind.mode,
        previews: given.config?.previews ?? kind.previews,
      },
    }) as Props & {
      readonly config: UploadConfig
    }
  let props = complete(initial)
  const home = (initial.uploads ?? given.options.uploads) as LendingHome | undefined
  const setup: UploadSetup<Router> = home?.share(given) ?? given
  const { texts, options } = setup
  const borrowed = home?.borrow(props as AnyComponentOptions, setup) as UploadController<Router[Slug]> | undefined
  const inner = borrowed ?? createUploadController(setup, props)
  const controller: typeof inner = kind.adapt?.(inner, { id, root, texts, config: () => props.config }) ?? inner
  const resumeStore = () => props.resumeStore ?? options.resumeStore
  const createParts = () =>
    createUploadParts({
      controller,
      state: controller.getState(),
      texts,
      config: props.config,
      resumeStore: resumeStore(),
      id,
      root,
      used: readEngine()?.used,
      createRowParts: kind.createRowParts,
    })

  let engine: Engine | undefined
  /** The code that is loaded once the component is used. */
  const readEngine = () => {
    if (!engine && (engine = controller.loaded() as Engine | undefined) && borrowed && given.options.texts) {
      engine.completeTexts(texts, given.options.texts)
    }
    return engine
  }
  const problem = () => {
    const state = controller.getState()
    return readEngine()
      ? engine!.findFieldProblem(state, props, props.config.uploadOnSubmit === true, texts)
      : kind.findProblem?.(state, props)
  }
  const isField = () => props.name !== undefined || props.required === true
  const hasControl = () => isField() && !kind.isFormAssociated

  return {
    ...controller,
    problem,
    setOptions: (next) => {
      props = complete(next as Props)
      controller.setOptions(props)
    },
    connect: () => {
      const tree = root() as Document | ShadowRoot
      let before: UploadState | undefined
      const ends = [
        preloadOnIntent(id, tree, () => void controller.preload()),
        listenToDrops(id, {
          root,
          target: () => ({
            controller,
            resumeStore: resumeStore(),
            isOff: props.disabled === true || !controller.getState().isReady,
          }),
          isWanted: () => props.config.dropOnPage,
          texts,
        }),
      ]
      let isOver = false
      const live = controller as unknown as UploadController
      const begin = () => {
        const loaded = readEngine()
        if (loaded === undefined) return
        wait()
        const attended = loaded.attend({
          id,
          root: () => tree,
          controller: live,
          texts,
          hasList: kind.hasList === true,
          // Files that are lent to it only by the connection are not news.
          before: before ?? live.getState(),
          options: () => ({
            // The owner of files that outlive the component warns instead.
            config: borrowed ? { ...props.config, warnBeforeLeaving: false } : props.config,
            isDisabled: props.disabled === true,
            resumeStore: resumeStore(),
          }),
        })
        ends.push(attended)
      }
      const wait = controller.subscribe(begin)
      ends.push(wait)
      begin()
      if (props.config.appendOnPaste) {
        const isOff = () => props.config.appendOnPaste !== true || props.disabled === true
        // Before everything that uploads: files that are pasted meanwhile are listed when that is loaded.
        void import("../page/listen-to-paste.ts").then(
          ({ takePasted }) => isOver || ends.push(takePasted({ id, root, controller: live, texts, isOff })),
          () => {},
        )
      }
      // Names of pasted images come from its texts; a camera's button is shown from the beginning.
      if (props.config.appendOnPaste || props.config.capture) void controller.preload()
      const field = { id, root: tree, controller: live, texts, options: () => props as AnyComponentOptions }
      ends.push(joinForm(field, () => isField() || props.config.uploadOnSubmit === true))
      let look: typeof lookForStyles | undefined
      let ahead: typeof controller.preload | undefined
      // Bundlers remove this block in production only in exactly this form. It calls nothing, because only `process`
      // may be missing.
      try {
        if (process.env.NODE_ENV !== "production" && process.env.NODE_ENV !== "test") look = lookForStyles
      } catch {
        look = lookForStylesInDevelopment
      }
      if (look !== undefined) ends.push(look(id, tree))
      // Tests of a page use it as soon as it is ready, and check at once.
      try {
        if (process.env.NODE_ENV === "test") ahead = controller.preload
      } catch {}
      const connect = () => {
        ends.push(controller.connect())
        before = live.getState()
      }
      if (ahead === undefined) connect()
      else void ahead().then(() => isOver || connect())
      return () => {
        isOver = true
        for (const end of ends.toReversed()) end()
      }
    },
    parts: createParts,
    render: (newer = props) => {
      const looks = newer as Props
      const state = controller.getState() as unknown as UploadState
      const parts = createParts()
      const part = createDescribePart(looks, state, looks.config?.cn ?? join)
      const isMultiple = takesSeveral(state.routeConfig)
      const validity = hasControl()
        ? describe("input", "validity", {
            attributes: {
              id: toValidityId(id),
              type: "checkbox",
              tabindex: -1,
              // A label is part of its main button's name.
              "aria-labelledby": looks["aria-labelledby"] ?? toMainId(id),
              "data-sluice": "validity",
            },
          })
        : undefined
      const blocking = validity && kind.hasList ? problem()?.item : undefined
      const view = {
        controller: controller as unknown as UploadController,
        state,
        texts,
        parts,
        part,
        id,
        isMultiple,
        isField: isField() || props.value !== undefined || props.initialFiles !== undefined,
        nameMain: (says: string) => (readEngine()?.used.nameWithFigures ?? nameMain)(looks, texts, id, says),
        validity,
        config: looks.config ?? {},
        blocking,
        looks,
        isThin: true,
        used: readEngine()?.used,
      }
      return part(
        "div",
        "container",
        {
          attributes: {
            ...parts.target.attributes,
            "data-component": kind.name,
            "data-previews": looks.config?.previews,
            "data-state": state.isDisabled ? "disabled" : state.isReady ? state.status : "loading",
            ...toGroup(looks),
          },
          on: parts.target.on,
        },
        [
          describe("input", "input", parts.input),
          parts.cameraInput && describe("input", "camera-input", parts.cameraInput),
          ...kind.describe(view),
          !blocking && validity,
          ...(props.name !== undefined && hasControl() ? listKeys(state.files) : []).map((value) =>
            describe("input", `value-${value}`, { attributes: { type: "hidden", name: props.name, value } }),
          ),
          describe("p", "status", {
            ...parts.status,
            attributes: { ...parts.status.attributes, "data-sluice": "status" },
          }),
        ],
      )
    },
  }
}
