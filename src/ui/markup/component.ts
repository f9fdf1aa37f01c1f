import type { TypedFileRoute, TypedFileRouter } from "../../protocol/file-route.ts"
import { takesSeveral } from "../accepted-files.ts"
import { keepFocus } from "../keep-focus.ts"
import { listenToPaste } from "../listen-to-paste.ts"
import type { UploadComponentOptions, UploadConfig } from "../upload-component-options.ts"
import { createUploadController, type UploadController } from "../upload-controller.ts"
import type { UploadSetup } from "../upload-setup.ts"
import type { UploadState } from "../upload-state.ts"
import type { UploadTexts } from "../upload-texts.ts"
import { createDescribePart, type DescribePart, type UploadLooks } from "./looks.ts"
import { describe, type Markup } from "./markup.ts"
import { createUploadParts, type UploadParts } from "./parts.ts"

/** What a component is described from. */
export interface ComponentView {
  readonly controller: UploadController
  readonly state: UploadState
  readonly texts: UploadTexts
  readonly parts: UploadParts
  readonly part: DescribePart
  readonly id: string
  readonly isMultiple: boolean
}

/** Describes what is inside a component. */
export type DescribeComponent = (view: ComponentView) => ReadonlyArray<Markup | undefined | false>

/** A component before it is rendered by a framework. */
export interface ComponentKind {
  readonly name: string
  readonly mode: "auto" | "manual"
  readonly describe: DescribeComponent
}

/** Props of a component, in every framework. `Node`: what its content can be. */
export type UploadComponentProps<
  Router extends TypedFileRouter,
  Slug extends keyof Router & string,
  Node,
> = UploadComponentOptions<Router, Slug> & UploadLooks<Node>

/** One component on a page: its controller, and what it looks like now. */
export interface UploadComponent<Route extends TypedFileRoute<any> = TypedFileRoute> extends UploadController<Route> {
  /** For markup of your own. */
  readonly parts: () => UploadParts
  /** What to render now; `props` where they are newer than those of `setOptions`. */
  readonly render: (props?: UploadComponentProps<any, any, unknown>) => Markup
}

const join = (...classes: Array<string>): string => classes.join(" ")

/**
 * Makes a component for a framework to render.
 *
 * @param id unique in its tree, and the same on the server and in the page
 * @param root that tree, if not the document: a shadow
 */
export const createUploadComponent = <Router extends TypedFileRouter, Slug extends keyof Router & string>(
  setup: UploadSetup<Router>,
  kind: ComponentKind,
  initial: UploadComponentOptions<Router, Slug> & UploadLooks,
  id: string,
  root: () => NonElementParentNode = () => document,
): UploadComponent<Router[Slug]> => {
  type Props = UploadComponentOptions<Router, Slug> & UploadLooks
  const complete = (given: Props) =>
    ({ ...given, config: { ...given.config, mode: given.config?.mode ?? kind.mode } }) as Props & {
      readonly config: UploadConfig
    }
  let props = complete(initial)
  const controller = createUploadController(setup, props)
  const { texts, options } = setup
  const createParts = () =>
    createUploadParts({
      controller,
      state: controller.getState(),
      texts,
      config: props.config,
      sessions: options.sessions,
      id,
      root,
    })

  return {
    ...controller,
    setOptions: (next) => {
      props = complete(next as Props)
      controller.setOptions(props)
    },
    connect: () => {
      const disconnect = controller.connect()
      const silence = listenToPaste(id, root, () => {
        const isWanted = props.config.appendOnPaste === true && !props.disabled
        return isWanted ? controller.addFiles : undefined
      })
      const release = keepFocus(id, root() as Document | ShadowRoot, controller.subscribe)
      return () => {
        silence()
        release()
        disconnect()
      }
    },
    parts: createParts,
    render: (given = props) => {
      const looks = given as Props
      const state = controller.getState() as unknown as UploadState
      const parts = createParts()
      const part = createDescribePart(looks, state, looks.config?.cn ?? join)
      const isMultiple = takesSeveral(state.routeConfig)
      const view = { controller: controller as unknown as UploadController, state, texts, parts, part, id, isMultiple }
      return part(
        "div",
        "container",
        {
          attributes: {
            ...parts.target.attributes,
            "data-component": kind.name,
            "data-state": state.isDisabled ? "disabled" : state.isReady ? state.status : "loading",
            "aria-busy": state.isUploading ? "true" : undefined,
          },
          on: parts.target.on,
        },
        [
          describe("input", "input", parts.input),
          ...kind.describe(view),
          describe(
            "p",
            "status",
            { ...parts.status, attributes: { ...parts.status.attributes, "data-sluice": "status" } },
            [texts.announce(state)],
          ),
        ],
      )
    },
  }
}
