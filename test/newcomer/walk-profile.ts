import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { BrowserContext, Page } from "playwright-core"
import { readBlocks } from "../code-blocks.ts"
import { writeFiles } from "../write-files.ts"
import type { Production, Walk } from "./application.ts"
import { drawPicture } from "./draw-picture.ts"

/** How long a file of the walk waits to be claimed: long enough for a form that is sent, and no 24 hours. */
const claim = "12 seconds"

/** What an application has of its own: it signs users in, and closes their accounts. */
const own = {
  "app/api/sign-in/route.ts": `import { randomUUID } from "node:crypto"
import { database } from "../../../database"

export const POST = () => {
  const [session, userId] = [randomUUID(), randomUUID()]
  database.users.set(session, userId)
  return Response.json({ session, userId })
}
`,
  "app/api/account/route.ts": `import { findUserId } from "../../../database"
import { deleteUser } from "../../../save-profile"

export const DELETE = async (request: Request) => {
  const userId = findUserId(request.headers)
  if (userId !== undefined) await deleteUser(userId)
  return new Response(null, { status: 204 })
}
`,
}

/** Replaces what stands in a file exactly once. Fails: where it does not. */
const replaceIn = async (file: string, old: string, next: string): Promise<void> => {
  const pieces = (await readFile(file, "utf8")).split(old)
  if (pieces.length !== 2) throw new Error(`${file} has ${pieces.length - 1} times ${old}`)
  await writeFile(file, pieces.join(next))
}

const follow = async (folder: string): Promise<void> => {
  const markdown = await readFile(join(import.meta.dirname, "../../docs/forms.md"), "utf8")
  const blocks = readBlocks(markdown).filter(
    ({ heading, path }) => path !== "" && /^(What all pages share|One file)/.test(heading),
  )
  await writeFiles(folder, { ...Object.fromEntries(blocks.map(({ path, code }) => [path, code])), ...own })
  const router = join(folder, "app/api/sluice/router.ts")
  // The two lines that the page says.
  const [, line] = /`(import \{ router as forms \} from "[^"]+")`/.exec(markdown) ?? []
  if (line === undefined) throw new Error("docs/forms.md does not say how its routes come into those of sluice init.")
  await writeFile(router, `${line}\n${await readFile(router, "utf8")}`)
  await replaceIn(router, "\n} satisfies FileRouter", "\n  ...forms,\n} satisfies FileRouter")
  await replaceIn(
    join(folder, "router.ts"),
    `image: { maxFileSize: "4MB" } }, { claim: "24 hours" }`,
    `image: { maxFileSize: "4MB" } }, { claim: "${claim}" }`,
  )
}

interface Listed {
  readonly key: string
  readonly name: string
  readonly status: string
}

/** Waits until something is so. Fails: with what it is instead, after 30 s. */
const becomes = async (what: string, look: () => Promise<string>, wanted: string): Promise<void> => {
  let found = await look()
  for (const until = Date.now() + 30_000; found !== wanted; found = await look()) {
    if (Date.now() > until) throw new Error(`${what}: ${found}, and not ${wanted}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

const visit = ({ browser, origin, ingest, ask }: Production): ReturnType<Walk["visit"]> => {
  let context: BrowserContext
  let page: Page
  let userId: string

  const open = async () => {
    await page.goto(`${origin}/profile`, { waitUntil: "networkidle" })
    await page.locator('[data-sluice="container"]:not([data-state="loading"])').waitFor()
  }
  /** What the form would send for the picture: a key, or nothing. */
  const keyOf = () =>
    page.evaluate(() => (new FormData(document.querySelector("form")!).getAll("portrait") as Array<string>).join())
  const choose = async (name: string, hue: number) => {
    const before = await keyOf()
    const file = { name, mimeType: "image/png", buffer: drawPicture(hue) }
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page
        .getByRole("button", { name: /a picture|picture, Portrait/ })
        .first()
        .click(),
    ])
    await chooser.setFiles(file)
    await page.getByRole("button", { name: "Use picture" }).click()
    await becomes("a new key in the form", async () => String(!["", before].includes(await keyOf())), "true")
    return keyOf()
  }
  const save = async () => {
    await page.getByLabel("Name").fill("Ada")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Saved.", { exact: true }).waitFor()
  }
  const list = async () =>
    (JSON.parse(await ask(`files list --owner ${userId} --json`)) as { files: Array<Listed> }).files
  /** The user's files on the ingest, whatever becomes of them. */
  const filesBecome = (wanted: ReadonlyArray<string>) =>
    becomes(
      "the user's files",
      async () =>
        (await list())
          .map(({ key, status }) => `${key} ${status}`)
          .toSorted()
          .join(),
      wanted.toSorted().join(),
    )
  const publicBecomes = (key: string, status: number) =>
    becomes(`${ingest}/f/${key}`, async () => String((await fetch(`${ingest}/f/${key}`)).status), String(status))

  let left: string
  let first: string
  let second: string
  return [
    {
      name: "a picture is chosen, and its form never sent",
      act: async () => {
        context = await browser.newContext()
        const answer = await context.request.post(`${origin}/api/sign-in`)
        const signedIn = (await answer.json()) as { session: string; userId: string }
        ;({ userId } = signedIn)
        await context.addCookies([{ name: "session", value: signedIn.session, url: origin }])
        page = await context.newPage()
        page.setDefaultTimeout(15_000)
        await open()
        left = await choose("left.png", 10)
        await filesBecome([`${left} Pending`])
        await publicBecomes(left, 403)
      },
    },
    {
      name: "another one is sent, and everybody can see it",
      act: async () => {
        await open()
        first = await choose("first.png", 60)
        await save()
        await publicBecomes(first, 200)
        await open()
        if ((await keyOf()) !== first) throw new Error("The page does not show the picture that was saved.")
      },
    },
    {
      name: "it is replaced",
      act: async () => {
        second = await choose("second.png", 120)
        await save()
        await publicBecomes(second, 200)
        await publicBecomes(first, 404)
      },
    },
    { name: "one file is left", act: () => filesBecome([`${second} Uploaded`]) },
    {
      name: "the user is deleted, and no file is left",
      act: async () => {
        await context.request.delete(`${origin}/api/account`)
        await filesBecome([])
        await publicBecomes(second, 404)
        await context.close()
      },
    },
  ]
}

/** The profile of `docs/forms.md` in an app of Next.js that `sluice init` has set up. */
export const walkProfile: Walk = {
  title: "docs/forms.md",
  follow: ({ root }) => follow(join(root, "app")),
  visit,
}
