import { describeBindingInForm } from "../conformance/binding-in-form.ts"
import { bundlePage } from "./bundle-page.ts"
import { compileSvelte } from "./compile-svelte.ts"

describeBindingInForm("Svelte", () => bundlePage("svelte.ts", [compileSvelte("client")]))
