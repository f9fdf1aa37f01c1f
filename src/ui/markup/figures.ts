import type { ComponentView } from "./component-view.ts"
import { describe, type Markup } from "./markup.ts"

/** Short figures beside the summary: how fast, and how long still. */
export const describeFigures = ({ state, texts }: Pick<ComponentView, "state" | "texts">): ReadonlyArray<Markup> => {
  const { speed, timeLeft } = state
  const figure = (name: string, text: string) => describe("span", name, { attributes: { "data-sluice": name } }, [text])
  return [
    ...(speed === undefined ? [] : [figure("speed", texts.speed(speed))]),
    ...(timeLeft === undefined ? [] : [figure("time-left", texts.timeLeft(timeLeft))]),
  ]
}
