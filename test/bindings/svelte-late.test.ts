import { describeBindingLate } from "../conformance/binding-late.ts"
import { bundlePieces } from "./bundle-page.ts"
import { compileSvelte } from "./compile-svelte.ts"

describeBindingLate("Svelte", () => bundlePieces("svelte.ts", [compileSvelte("client")]))
