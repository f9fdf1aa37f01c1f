import { describeBinding } from "../conformance/binding.ts"
import { bundlePage } from "./bundle-page.ts"

describeBinding("the element", () => bundlePage("element.ts"))
