import type { TypedFileRouter, UntypedFileRouter } from "../../protocol/files/file-route.ts"
import { createMerger, noUploads } from "./merge-states.ts"
import { belongsToForm } from "../form/belongs-to-form.ts"
import { createUploadController } from "../controller/create-upload-controller.ts"
import type { UploadController } from "../controller/upload-controller.ts"
import { createUploadLease, type Borrower, type UploadPlace } from "./upload-lease.ts"
import type { AnyComponentOptions } from "../controller/upload-component-options.ts"
import { createUploadSetup } from "../controller/upload-setup.ts"
import type { FileStatus, UploadItem } from "../controller/upload-state.ts"
import { createUploadTurns } from "./upload-turns.ts"
import { isUpload, type LendingHome, type Uploads, type UploadsOptions, type UploadsSource } from "./uploads.ts"
import { warnBeforeLeaving } from "../page/warn-before-leaving.ts"

interface Place extends UploadPlace {
  readonly endpoint: string
  readonly key: string
  /** Components that show it, the one used last at the end. */
  readonly borrowers: Set<Borrower>
  /** Its latest options, without callbacks of a component. */
  options: AnyComponentOptions
  disconnect: (() => void) | undefined
  readonly unsubscribe: () => void
  /** How many files are about to be added. */
  expected: number
}

const untilReady = ({ getState, subscribe }: UploadController): Promise<void> =>
  new Promise((resolve) => {
    const look = () => {
      if (!getState().isReady) return
      unsubscribe()
      resolve()
    }
    const unsubscribe = subscribe(look)
    look()
  })

/**
 * Makes uploads that belong to the app: `export const uploads = createUploads<typeof router>()` in a module. A
 * component that gets them, by its prop `uploads` or by its generator's option, hands its files over: the upload
 * continues when the component leaves the page, and the component shows its files again when it comes back. On a
 * server nothing is shared: there every component has its own.
 */
export const createUploads = <Router extends TypedFileRouter = UntypedFileRouter>(
  options: UploadsOptions<Router> = {},
): Uploads<Router> => {
  const setup = createUploadSetup<Router>(options)
  const told = options as UploadsOptions<TypedFileRouter>
  const places = new Map<string, Place>()
  const listeners = new Set<() => void>()
  const attending = new Set<() => void>()
  /** Uploaded files that a component still shows, but that were removed from this list. */
  const dismissed = new Set<string>()
  let isWarning = false

  const all = () => [...places.values()]
  const listAll = () => all().flatMap(({ controller }) => controller.getState().files)
  const isShown = (item: UploadItem) => isUpload(item) && !dismissed.has(item.id)
  const createSource = (isWanted: (place: Place) => boolean) => {
    const merge = createMerger()
    let isStale = false
    let state = noUploads
    const source: UploadsSource = {
      getState: () => {
        if (isStale) {
          state = merge(
            all()
              .filter(isWanted)
              .map(({ controller }) => controller.getState()),
            isShown,
          )
        }
        isStale = false
        return state
      },
      subscribe: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
    return { source, expire: () => (isStale = true) }
  }
  const whole = createSource(() => true)
  const unattended = createSource(({ borrowers }) => borrowers.size === 0)
  const turns = createUploadTurns(options.concurrency ?? 4, listAll)

  const changed = () => {
    whole.expire()
    unattended.expire()
    for (const place of places.values()) {
      const { key, borrowers, controller, expected, disconnect } = place
      // One that was never on a page is about to be.
      if (disconnect === undefined) continue
      if (borrowers.size + expected + controller.getState().files.length > 0) continue
      places.delete(key)
      disconnect()
      place.unsubscribe()
    }
    if (dismissed.size > 0) {
      const listed = new Set(listAll().map(({ id }) => id))
      for (const id of dismissed) if (!listed.has(id)) dismissed.delete(id)
    }
    turns.look()
    for (const listener of [...listeners]) listener()
  }

  /** A component was added or removed. */
  const attended = () => {
    changed()
    for (const listener of [...attending]) listener()
  }

  /** Options of a place: those of its component while it exists, with callbacks that are looked up at the time of the call. */
  const compose = (place: Place): AnyComponentOptions => {
    const own = () => [...place.borrowers].at(-1)?.options()
    const { endpoint } = place
    const names = [
      "onUploadBegin",
      "onUploadProgress",
      "onClientUploadComplete",
      "onUploadError",
      "onUploadAborted",
    ] as const
    type Tell = (...args: ReadonlyArray<unknown>) => void
    const both = names.map((name) => [
      name,
      (...args: ReadonlyArray<unknown>) => {
        ;(own()?.[name] as Tell | undefined)?.(...args)
        ;(told[name] as Tell | undefined)?.(...args, endpoint)
      },
    ])
    return {
      ...place.options,
      ...Object.fromEntries(both),
      onChange: (files) => own()?.onChange?.(files),
      onValueChange: undefined,
      // Those of the component, while it exists.
      onBeforeUploadBegin: async (files) => {
        const prepared = (await own()?.onBeforeUploadBegin?.(files)) ?? files
        const ready = (await told.onBeforeUploadBegin?.([...prepared], endpoint)) ?? prepared
        await turns.wait(files)
        return ready
      },
    }
  }

  const create = (key: string, given: AnyComponentOptions): Place => {
    const controller = createUploadController<TypedFileRouter, string>(setup, given)
    const place: Place = {
      controller,
      endpoint: given.endpoint,
      key,
      borrowers: new Set(),
      options: given,
      disconnect: undefined,
      unsubscribe: controller.subscribe(changed),
      expected: 0,
    }
    places.set(key, place)
    return place
  }
  const connect = (place: Place) => {
    place.controller.setOptions(compose(place))
    place.disconnect ??= place.controller.connect()
    if (isWarning || typeof document === "undefined") return
    isWarning = true
    const { getState, subscribe } = whole.source
    const isLost = ({ options: { resumeStore } }: Place) => (resumeStore ?? options.resumeStore) === undefined
    warnBeforeLeaving(
      { getState, subscribe } as Parameters<typeof warnBeforeLeaving>[0],
      () => options.warnBeforeLeaving ?? all().some(isLost),
    )
  }
  const find = (given: AnyComponentOptions, group = `:${JSON.stringify(given.input) ?? ""}`): Place => {
    const key = JSON.stringify([given.endpoint, group])
    return places.get(key) ?? create(key, given)
  }

  const createHome = (group?: string): LendingHome => ({
    share: (given) => ({
      ...given,
      options: { ...given.options, ...options },
      texts: given.options.texts === undefined ? setup.texts : given.texts,
    }),
    borrow: (initial, shared) => {
      if (typeof document === "undefined" || belongsToForm(initial)) return undefined
      // Its first input: a change of the input while the component exists does not take its files away.
      const groups = new Map<string, string>()
      const groupOf = ({ endpoint, input }: AnyComponentOptions) => {
        const name = group ?? groups.get(endpoint) ?? `:${JSON.stringify(input) ?? ""}`
        groups.set(endpoint, name)
        return name
      }
      return createUploadLease(
        {
          find: (given) => find(given, groupOf(given)),
          settle: (borrowed, borrower) => {
            const place = borrowed as Place
            const isNew = !place.borrowers.has(borrower)
            const isSame = !isNew && [...place.borrowers].at(-1) === borrower && place.options === borrower.options()
            if (isSame) return
            place.borrowers.delete(borrower)
            place.borrowers.add(borrower)
            place.options = borrower.options()
            connect(place)
            if (isNew) attended()
          },
          leave: (borrowed, borrower) => {
            const place = borrowed as Place
            place.borrowers.delete(borrower)
            if (place.borrowers.size === 0) place.options = { ...place.options, disabled: false }
            place.controller.setOptions(compose(place))
            attended()
          },
        },
        initial,
        shared.isServed ? createUploadController(shared, initial) : undefined,
      )
    },
  })

  const placeOf = (id: string) =>
    all().find(({ controller }) => controller.getState().files.some((item) => item.id === id))
  const controllerOf = (id: string) => placeOf(id)?.controller
  const act =
    (name: "pauseUpload" | "resumeUpload" | "abortUpload" | "retryNow") =>
    (id?: string): void => {
      if (id === undefined) for (const { controller } of all()) controller[name]()
      else controllerOf(id)?.[name](id)
    }
  const clear = (statuses: ReadonlyArray<FileStatus>) => {
    for (const { controller, borrowers } of all()) {
      if (borrowers.size > 0) {
        for (const item of controller.getState().files)
          if (item.status === "done" && isUpload(item)) dismissed.add(item.id)
      }
      controller.clear(borrowers.size > 0 ? statuses.filter((status) => status !== "done") : statuses)
    }
    changed()
  }

  return {
    ...createHome(),
    ...whole.source,
    setup,
    unattended: unattended.source,
    isAttended: (endpoint) => all().some((place) => place.endpoint === endpoint && place.borrowers.size > 0),
    discardInterrupted: (id) => all().forEach(({ controller }) => controller.discardInterrupted(id)),
    onAttend: (listener) => {
      attending.add(listener)
      return () => attending.delete(listener)
    },
    getServerState: () => noUploads,
    group: createHome,
    controllerOf,
    pauseUpload: act("pauseUpload"),
    resumeUpload: act("resumeUpload"),
    abortUpload: act("abortUpload"),
    retryNow: act("retryNow"),
    clear,
    reset: () => {
      for (const { controller } of all()) controller.clear()
      // Interrupted uploads are listed anew: they may be another user's now.
      attended()
    },
    removeFinished: () => clear(["done", "aborted"]),
    removeFile: (id) => {
      const place = placeOf(id)
      const item = place?.controller.getState().files.find((each) => each.id === id)
      if (item?.status === "done" && place!.borrowers.size > 0) {
        dismissed.add(id)
        changed()
      } else place?.controller.removeFile(id)
    },
    addFiles: async (endpoint, files, ...[given]) => {
      const { input, group }: { readonly input?: unknown; readonly group?: string | undefined } = given ?? {}
      const list = [...files]
      const place = find({ endpoint, input } as AnyComponentOptions, group)
      const { controller } = place
      place.expected++
      connect(place)
      try {
        await untilReady(controller)
        const outcomes = await controller.startUpload(list, input)
        // Too few of them: there is no component in which the user could choose more.
        const isLeft = ({ file, status }: UploadItem) => status === "picked" && list.includes(file!)
        if (place.borrowers.size === 0) {
          for (const { id } of controller.getState().files.filter(isLeft)) controller.removeFile(id)
        }
        return outcomes
      } finally {
        place.expected--
        changed()
      }
    },
  }
}
