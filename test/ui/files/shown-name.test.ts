import fc from "fast-check"
import { expect, test } from "vitest"
import { toShownName } from "../../../src/ui/files/shown-name.ts"
import { splitName } from "../../../src/ui/files/split-name.ts"

test.each([
  ["a.png", "a.png"],
  ["חשבונית 2026.pdf", "חשבונית 2026.pdf"],
  ["👩‍👧 é.png", "👩‍👧 é.png"],
  ["invoice\u202Efdp.exe", "invoice\uFFFDfdp.exe"],
  ["\u2066a\u2069.png", "\uFFFDa\uFFFD.png"],
  ["\u200EIMG-1.jpg", "IMG-1.jpg"],
  ["a\nb\u0085c\u2028d\u007f", "a\uFFFDb\uFFFDc\uFFFDd\uFFFD"],
  ["\u200F", "\uFFFD"],
])("%j is shown as %j", (name, shown) => {
  expect(toShownName(name)).toBe(shown)
})

test.each([
  ["short.png", ["short.png"]],
  ["holiday in Italy (copy).jpg", ["holiday in Italy ", "(copy).jpg"]],
  ["Protokoll 12. Mai.docx", ["Protokoll ", "12. Mai.docx"]],
  ["IMG_20260512_103344.heic", ["IMG_20260512_", "103344.heic"]],
  ["Bildschirmaufnahme.mov", ["Bildschirm", "aufnahme.mov"]],
  ["a-name-without-an-extension", ["a-name-without-an-", "extension"]],
  ["everything-of-the-archive.tar.gz", ["everything-of-the-", "archive.tar.gz"]],
  ["Wohnzimmer mit Blick 2024 (bearbeitet).png", ["Wohnzimmer mit Blick 2024 ", "(bearbeitet).png"]],
  ["Fotos der Sommerfrische in Südfrankreich.jpeg", ["Fotos der Sommerfrische in ", "Südfrankreich.jpeg"]],
  ["Grundriss Dachgeschosswohnung.pdf", ["Grundriss Dachgeschos", "swohnung.pdf"]],
])("%j is cut as %j", (name, pieces) => {
  expect(splitName(name)).toEqual(pieces)
})

test("no name loses a character, and none of its letters their marks", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (name) => {
      const pieces = splitName(name)
      expect(pieces.join("")).toBe(name)
      for (const piece of pieces) expect(piece!.isWellFormed()).toBe(name.isWellFormed())
      if (pieces.length > 1) expect(pieces[1]).not.toMatch(/^[\p{M}\u200D]/u)
    }),
  )
})
