import { describeBindingInForm } from "../conformance/binding-in-form.ts"
import { bundlePage } from "./bundle-page.ts"

describeBindingInForm("React", () => bundlePage("react.ts"))
