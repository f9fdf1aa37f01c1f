import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { makeLlms } from "./llms.ts"
import { repository } from "./pages.ts"

for (const [name, text] of Object.entries(await makeLlms())) await writeFile(join(repository, name), text)
