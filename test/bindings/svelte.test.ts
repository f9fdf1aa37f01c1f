import { describeBinding } from "../conformance/binding.ts"
import { bundlePage } from "./bundle-page.ts"
import { compileSvelte } from "./compile-svelte.ts"

describeBinding("Svelte", () => bundlePage("svelte.ts", [compileSvelte("client")]))
