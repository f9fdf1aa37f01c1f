import { describeApplication } from "./describe-application.ts"

describeApplication("Hono", ["hono"])
