/* The tests' double of S3, in a process of its own, which keeps no parts; its first line says how it is reached. */
import { startDouble } from "../../test/ingest/storage/s3/start-double.ts"

const double = await startDouble()
double.discardsParts = true
console.log(JSON.stringify(double.settings))
