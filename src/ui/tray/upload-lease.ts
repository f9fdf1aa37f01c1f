import type { UploadController } from "../controller/upload-controller.ts"
import type { AnyComponentOptions } from "../controller/upload-component-options.ts"

/** A list of uploads that outlives its components. */
export interface UploadPlace {
  readonly controller: UploadController
}

/** A component that shows a place. */
export interface Borrower {
  /** The component's latest options. */
  readonly options: () => AnyComponentOptions
}

/** What a lease needs from the owner of the uploads. */
export interface PlaceOwner {
  /** The place of a component with these options; it is created where there is none. */
  readonly find: (options: AnyComponentOptions) => UploadPlace
  /** The component is on the page, has new options, or is the one in use now: its options become those of the place. */
  readonly settle: (place: UploadPlace, borrower: Borrower) => void
  /** The component is gone: none of its callbacks is called any more. */
  readonly leave: (place: UploadPlace, borrower: Borrower) => void
}

/**
 * The controller of a component that borrows its uploads: it delegates to the controller of the place, which stays
 * when the component goes.
 *
 * @param served where a server has rendered the component: a controller that shows what that server did. It is shown
 *   until the component is on the page or is told to do something
 */
export const createUploadLease = (
  { find, settle, leave }: PlaceOwner,
  initial: AnyComponentOptions,
  served: UploadController | undefined,
): UploadController => {
  let options = initial
  let place: UploadPlace = served ? { controller: served } : find(initial)
  let isConnected = false
  let stop: (() => void) | undefined
  const borrower: Borrower = { options: () => options }
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of listeners) listener()
  }
  const follow = () => {
    stop?.()
    stop = listeners.size > 0 ? place.controller.subscribe(tell) : undefined
  }
  /** A place that was empty for a while may have been replaced by another one. */
  const move = (next: UploadPlace) => {
    if (next === place) return
    if (isConnected) leave(place, borrower)
    place = next
    follow()
    tell()
  }
  const lease = Object.fromEntries(
    Object.keys(place.controller).map((name) => [
      name,
      (...args: ReadonlyArray<never>) => {
        if (isConnected) settle(place, borrower)
        else if (place.controller === served) move(find(options))
        return (place.controller[name as keyof UploadController] as (...args: ReadonlyArray<never>) => unknown)(...args)
      },
    ]),
  ) as unknown as UploadController
  return {
    ...lease,
    getState: () => place.controller.getState(),
    loaded: () => place.controller.loaded(),
    subscribe: (listener) => {
      listeners.add(listener)
      if (stop === undefined) follow()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) follow()
      }
    },
    connect: () => {
      move(find(options))
      isConnected = true
      settle(place, borrower)
      return () => {
        isConnected = false
        leave(place, borrower)
      }
    },
    setOptions: (next) => {
      const isMoved = next.endpoint !== options.endpoint
      options = next as AnyComponentOptions
      if (isMoved) move(find(options))
      if (isConnected) settle(place, borrower)
    },
  }
}
