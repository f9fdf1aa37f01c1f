/** How a picture under a square can be moved; a stage is 1 wide and 1 high. */
interface StageView {
  /** Moves the picture: `0.5, 0` is half the stage to the right. */
  readonly moveBy: (x: number, y: number) => void
  /** @param at the point that stays in place; by default the middle */
  readonly zoomBy: (factor: number, at?: { readonly x: number; readonly y: number }) => void
  readonly finish: () => void
}

const steps = {
  /** Parts of the stage that a key moves; with Shift. */
  key: 0.05,
  shift: 0.25,
  zoom: 1.1,
  /** Pixels of the wheel that enlarge the picture to about twice its size. */
  wheel: 350,
  /** Pixels by which a finger trembles. */
  tap: 5,
}

const directions: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Pixels of a turn of the wheel, which may be reported in lines or pages. */
const toPixels = ({ deltaY, deltaMode }: WheelEvent): number => deltaY * ([1, 16, 300][deltaMode] ?? 1)

interface Spot {
  readonly x: number
  readonly y: number
}

const middleOf = (spots: ReadonlyArray<Spot>): Spot => ({
  x: spots.reduce((sum, { x }) => sum + x, 0) / spots.length,
  y: spots.reduce((sum, { y }) => sum + y, 0) / spots.length,
})

/** The distance between the first two fingers; 1 for a single one. */
const spreadOf = ([a, b]: ReadonlyArray<Spot>): number =>
  a && b ? Math.max(0.01, Math.hypot(a.x - b.x, a.y - b.y)) : 1

/** Lets pointers, wheel and keys move a picture. Directions are those of the screen, whatever the page's direction of text. */
export const listenToStage = (dialog: HTMLElement, stage: HTMLElement, view: StageView): void => {
  /** Where the fingers on the stage, or the mouse, last were; parts of the stage. */
  const held = new Map<number, Spot>()
  let way = 0

  const toSpot = ({ clientX, clientY }: MouseEvent): Spot => {
    const { left, top, width, height } = stage.getBoundingClientRect()
    return { x: (clientX - left) / width, y: (clientY - top) / height }
  }

  stage.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || held.size > 1) return
    if (held.size === 0) way = 0
    stage.setPointerCapture(event.pointerId)
    held.set(event.pointerId, toSpot(event))
    // A second finger means it is not a tap.
    if (held.size > 1) way = Number.POSITIVE_INFINITY
  })
  stage.addEventListener("pointermove", (event) => {
    if (!held.has(event.pointerId)) return
    const before = [...held.values()]
    held.set(event.pointerId, toSpot(event))
    const after = [...held.values()]
    const [from, to] = [middleOf(before), middleOf(after)]
    way += Math.hypot(to.x - from.x, to.y - from.y) * stage.clientWidth
    if (way < steps.tap && held.size === 1) {
      // Once it is more than a tap, the picture moves from where the pointer began.
      held.set(event.pointerId, before[0]!)
      way = Math.hypot(to.x - from.x, to.y - from.y) * stage.clientWidth
      if (way < steps.tap) return
    }
    view.moveBy(to.x - from.x, to.y - from.y)
    if (held.size > 1) view.zoomBy(spreadOf(after) / spreadOf(before), to)
  })
  const release = (event: PointerEvent) => {
    if (!held.delete(event.pointerId) || held.size > 0) return
    // For users who cannot drag: the tapped point moves to the middle.
    if (event.type === "pointerup" && way < steps.tap) {
      const { x, y } = toSpot(event)
      view.moveBy(0.5 - x, 0.5 - y)
    }
  }
  stage.addEventListener("pointerup", release)
  stage.addEventListener("pointercancel", release)

  stage.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault()
      // Two fingers on a trackpad are reported as a wheel with Ctrl, and a small movement.
      const turned = toPixels(event) * (event.ctrlKey ? 4 : 1)
      view.zoomBy(2 ** (-turned / steps.wheel), toSpot(event))
    },
    { passive: false },
  )

  dialog.addEventListener("keydown", (event) => {
    const { key, shiftKey, altKey, ctrlKey, metaKey, target } = event
    if (altKey || ctrlKey || metaKey) return
    const direction = target === stage ? directions[key] : undefined
    if (direction !== undefined) {
      const step = shiftKey ? steps.shift : steps.key
      view.moveBy(direction[0] * step, direction[1] * step)
    } else if (key === "+" || key === "=") view.zoomBy(steps.zoom)
    else if (key === "-" || key === "_" || key === "−") view.zoomBy(1 / steps.zoom)
    // Enter would send the form around the component.
    else if (key === "Enter" && (target as Element).localName !== "button") view.finish()
    else return
    event.preventDefault()
  })
}
