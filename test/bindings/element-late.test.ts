import { describeBindingLate } from "../conformance/binding-late.ts"
import { bundlePieces } from "./bundle-page.ts"

describeBindingLate("the element", () => bundlePieces("element.ts"))
