import { isDevelopment } from "../diagnosis/is-development.ts"
/** How often and at what interval it checks, in ms. It waits longer for stylesheets that are still loading. */
const looks = { interval: 1000, afterLoad: 2, whilePending: 20 }

let isTold = false

/** The property is set by `sluice/styles.css`, and by pages with styles of their own. */
const hasStyles = (container: Element): boolean => {
  const style = getComputedStyle(container)
  return ["--_line", "--sluice-styles"].some((name) => style.getPropertyValue(name).trim() !== "")
}

/** A closed dialog has no size, and neither has anything in a DOM without layout. */
const isLaidOut = (container: Element): boolean => {
  const { width, height } = container.getBoundingClientRect()
  return width > 0 || height > 0
}

/** Whether something on the page may still load the stylesheet. */
const isPending = (root: Document | ShadowRoot): boolean =>
  [...document.querySelectorAll("link"), ...root.querySelectorAll("link")].some(
    ({ relList, sheet, disabled }) => relList.contains("stylesheet") && !disabled && sheet === null,
  )

/**
 * Warns once per page about a component without styles, when the page and its stylesheets are loaded. Components that
 * are not rendered (in a closed dialog, in a DOM without layout such as jsdom) are not checked, nor is the page's own
 * markup. Only for development.
 *
 * @param id of the component's outermost element
 * @param root where that is: the document, or a shadow root
 * @returns stops it
 */
export const lookForStyles = (id: string, root: Document | ShadowRoot): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let count = 0
  const again = () => {
    timer = setTimeout(look, looks.interval)
  }
  const look = () => {
    const container = root.getElementById(id)
    if (isTold || container?.getAttribute("data-sluice") !== "container") return
    if (document.readyState !== "complete") return again()
    if (!isLaidOut(container) || hasStyles(container)) return
    if (++count < (isPending(root) ? looks.whilePending : looks.afterLoad)) return again()
    isTold = true
    // oxlint-disable-next-line no-console -- not an error: overlays of development servers would cover the page with one
    console.warn(
      'Sluice: The stylesheet of the components is not on this page. Write import "sluice/styles.css" where you make the components (`npx sluice init` does), or <link> it; in a shadow root there. With styles of your own alone, set --sluice-styles: own. node_modules/sluice/docs/components.md',
    )
  }
  again()
  return () => clearTimeout(timer)
}

/** The same where no bundler says whether this is production. */
export const lookForStylesInDevelopment: typeof lookForStyles = (...args) =>
  isDevelopment() ? lookForStyles(...args) : () => {}
