import type { BrowserContext } from "playwright-core"

/** A picture, as HTML. */
export const toFigure = (picture: Buffer, caption: string, look: string): string =>
  `<figure class="${look}"><img src="data:image/png;base64,${picture.toString("base64")}"><figcaption>${caption}</figcaption></figure>`

/** Lays pictures out in columns, on the page's own ground. */
export const laySheet = async (
  context: BrowserContext,
  path: string,
  width: number,
  columns: ReadonlyArray<{ readonly look: string; readonly figures: ReadonlyArray<string> }>,
): Promise<void> => {
  const sheet = await context.newPage()
  await sheet.setViewportSize({ width, height: 200 })
  await sheet.setContent(`<style>
    body { margin: 0; display: grid; grid-template-columns: repeat(${columns.length}, minmax(0, 1fr)); font: 13px/1.4 system-ui, sans-serif; }
    section { padding: 20px 28px; display: grid; gap: 22px; align-content: start; }
    figure { margin: 0; display: grid; gap: 6px; justify-items: start; }
    img { max-width: 100%; }
    .light { background: #f5f7f7; color: #566466; } .dark { background: #0f1416; color: #9eacaf; }
  </style>${columns.map(({ look, figures }) => `<section class="${look}">${figures.join("")}</section>`).join("")}`)
  await sheet.screenshot({ path, fullPage: true })
  await sheet.close()
}
