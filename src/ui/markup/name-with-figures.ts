import type { UploadTexts } from "../texts/upload-texts.ts"
import type { UploadNames } from "./looks.ts"
import { type Attributes, describe } from "./markup.ts"
import { type MainName, nameMain } from "./names.ts"

/**
 * Like {@link nameMain}, for a text that may contain figures. The visible text is part of the name, so that voice
 * control finds it; but changing figures are not, because each would be read out.
 *
 * @param says for example `Uploading 37 %`, whose name is `Uploading`
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
  // One element, so that buttons that lay out their children treat it as one text with its own direction.
  const shown = describe("bdi", "text", {}, parts)
  if (labelledBy) return { ...name, children: [shown] }
  const whole = label ? texts.labelled(says, label) : says
  const rest = whole.startsWith(says) ? whole.slice(says.length) : `, ${label}`
  return { attributes: {}, children: [shown, ...text("rest", rest, { "data-sluice": "name" })] }
}
