/** Which colours a page has. */
export type Side = "light" | "dark"

/** One way in which a page gets to be light or dark. */
export interface Way {
  /** What the browser prefers. */
  readonly system: Side
  readonly is: Side
  /** What the page's own stylesheet has. */
  readonly css?: string
  /** Attributes of `<html>`. */
  readonly html?: Readonly<Record<string, string>>
}

const ground = { light: "html, body { background: #fff }", dark: "html, body { background: #0a0a0a }" }
const text = { light: "html, body { color: #171717 }", dark: "html, body { color: #ededed }" }

const other = (is: Side): Side => (is === "dark" ? "light" : "dark")

/**
 * Ways by name, each against what the browser prefers where that is not the way itself. Where a class or an attribute
 * says it, nothing else does: the text around the component keeps the colour that it had.
 */
export const ways: Readonly<Record<string, Way>> = Object.fromEntries(
  (["light", "dark"] as const).flatMap((is): Array<[string, Way]> => {
    const against = { system: other(is), is, css: ground[is] }
    const [own, others] = [is, other(is)].map((side) => `${ground[side]} ${text[side]}`)
    return [
      [
        `prefers-color-scheme: ${is}`,
        { system: is, is, css: `${others} @media (prefers-color-scheme: ${is}) { ${own} }` },
      ],
      [`class ${is}`, { ...against, html: { class: is } }],
      [`data-theme ${is}`, { ...against, html: { "data-theme": is } }],
      [`color-scheme: ${is} in CSS`, { ...against, css: `:root, body { color-scheme: ${is} } ${own}` }],
      [`next-themes, ${is}`, { ...against, html: { class: is, style: `color-scheme: ${is};` } }],
    ]
  }),
)

/** Puts a page on a side; runs in the page. The browser's own preference is not set by it. */
export const take = ({ css = "", html = {} }: Pick<Way, "css" | "html">): void => {
  document.getElementById("way")?.remove()
  document.head.append(Object.assign(document.createElement("style"), { id: "way", textContent: css }))
  const root = document.documentElement
  // The app's own classes, of its fonts say, stay.
  const own = (root.dataset["ownClass"] ??= root.className)
  for (const name of ["class", "data-theme", "style"]) root.removeAttribute(name)
  for (const [name, value] of Object.entries({ ...html, class: `${own} ${html["class"] ?? ""}`.trim() })) {
    if (value !== "") root.setAttribute(name, value)
  }
}
