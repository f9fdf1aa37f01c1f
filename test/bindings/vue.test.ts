import { describeBinding } from "../conformance/binding.ts"
import { bundlePage } from "./bundle-page.ts"

describeBinding("Vue", () => bundlePage("vue.ts"))
