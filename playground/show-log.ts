import { createElement } from "./create-element.ts"
import type { LogEntry } from "./server-log.ts"

const kept = 500

const showEntry = ({ at, source, level, text }: LogEntry): HTMLElement =>
  createElement(
    "li",
    { className: level },
    createElement("time", {}, new Date(at).toLocaleTimeString("en-GB")),
    createElement("b", {}, source),
    createElement("span", {}, text),
  )

/**
 * Shows what the servers log, live, and stays at its end unless somebody reads further up.
 *
 * @param lamp has the class `is-on` while connected
 */
export const showLog = (list: HTMLElement, lamp: HTMLElement): void => {
  const events = new EventSource("/events")
  events.onopen = () => {
    lamp.classList.add("is-on")
    list.replaceChildren() // the server begins with what it still has
  }
  events.onerror = () => lamp.classList.remove("is-on")
  events.onmessage = ({ data }) => {
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40
    list.append(showEntry(JSON.parse(data)))
    while (list.childElementCount > kept) list.firstElementChild!.remove()
    if (isAtEnd) list.scrollTop = list.scrollHeight
  }
}
