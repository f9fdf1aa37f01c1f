import { hydrate } from "svelte"
import Page from "./svelte/server-page.svelte"

declare global {
  interface Window {
    /** Every text the page has shown since the server's. */
    texts: Array<string>
    /** Whether the file input is the server's. */
    isSameInput: () => boolean
  }
}

const target = document.getElementById("app")!
const input = target.querySelector("input")
window.texts = [target.innerText]
window.isSameInput = () => target.querySelector("input") === input
new MutationObserver(() => window.texts.push(target.innerText)).observe(target, {
  subtree: true,
  childList: true,
  characterData: true,
})
const routes: unknown = JSON.parse(document.getElementById("routes")!.textContent)
hydrate(Page, { target, props: { routes } })
target.dataset["hydrated"] = ""
