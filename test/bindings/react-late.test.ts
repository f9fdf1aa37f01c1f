import { describeBindingLate } from "../conformance/binding-late.ts"
import { bundlePieces } from "./bundle-page.ts"

describeBindingLate("React", () => bundlePieces("react.ts"))
