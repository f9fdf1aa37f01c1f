import { describeBindingInForm } from "../conformance/binding-in-form.ts"
import { bundlePage } from "./bundle-page.ts"

describeBindingInForm("Vue", () => bundlePage("vue.ts"))
