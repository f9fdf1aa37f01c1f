import { describeApplication } from "./describe-application.ts"

describeApplication("Next.js", ["next"])

// Its build checks the types.
describeApplication("Next.js", ["next", "--production"])
