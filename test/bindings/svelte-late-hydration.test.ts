import { bundlePage } from "./bundle-page.ts"
import { compileSvelte } from "./compile-svelte.ts"
import { loadSvelteServer } from "./load-svelte-server.ts"
import { describeLateHydration } from "./describe-late-hydration.ts"

let server: ReturnType<typeof loadSvelteServer> | undefined

describeLateHydration("Svelte", {
  render: async (part, routes) => {
    const { render, Page } = await (server ??= loadSvelteServer("late-page.svelte"))
    return render(Page, { props: { part, routes }, idPrefix: part } as never).body
  },
  scripts: async () => ({
    development: await bundlePage("svelte-late-hydration.ts", [compileSvelte("client", true)]),
    production: await bundlePage("svelte-late-hydration.ts", [compileSvelte("client")]),
  }),
})
