import { describeApplication } from "./describe-application.ts"

describeApplication("Express", ["express"])
