import type { UploadTexts } from "../upload-texts.ts"
import type { UploadNames } from "./looks.ts"
import { type Attributes, describe } from "./markup.ts"
import { type MainName, nameMain } from "./names.ts"

/**
 * Like {@link nameMain}, of a text that may have figures. What is seen is part of the name, so that it can be spoken to; but
 * figures that change are not, or each would be read out.
 *
 * @param says `Uploading 37 %`, which is called `Uploading`
 */
export const nameWithFigures = (names: UploadNames, texts: UploadTexts, id: string, says: string): MainName => {
  const name = nameMain(names, texts, id, says)
  const [before, figures, after] = says.split(/(\p{N}[\p{N}.,]*\s*%)/u)
  if (figures === undefined) return name
  const { "aria-label": label, "aria-labelledby": labelledBy } = names
  const text = (key: string, says = "", attributes: Attributes = {}) =>
    says === "" ? [] : [describe("span", key, { attributes }, [says])]
  const parts = [
    ...text("before", before),
    ...text("figures", figures, { "aria-hidden": true }),
    ...text("after", after),
  ]
  // One element, so that buttons that lay out their content take it for one text, which runs in its own direction.
  const shown = describe("bdi", "text", {}, parts)
  if (labelledBy) return { ...name, children: [shown] }
  const whole = label ? texts.labelled(says, label) : says
  const rest = whole.startsWith(says) ? whole.slice(says.length) : `, ${label}`
  return { attributes: {}, children: [shown, ...text("rest", rest, { "data-sluice": "name" })] }
}
