/** What an avatar and its crop say beside the other texts. Each may be replaced on its own. */
export interface PictureTexts {
  /** Name of the button where there is no picture. */
  readonly choose: () => string
  /** Name of the button where there is one. */
  readonly change: () => string
  readonly remove: () => string
  /** Title of the crop. */
  readonly title: () => string
  /** Name of the picture while it is cropped. */
  readonly stage: () => string
  /** How it is moved and made larger. */
  readonly hint: () => string
  /** The same on a device without keys. */
  readonly hintByFinger: () => string
  /** Name of the slider. */
  readonly zoom: () => string
  readonly zoomIn: () => string
  readonly zoomOut: () => string
  /** How much larger the picture is than at first: 250 is two and a half times as large. */
  readonly zoomed: (percent: number) => string
  /** Said when the picture was moved: 0 is its left or upper edge, 100 the right or lower one. */
  readonly moved: (across: number, down: number) => string
  readonly use: () => string
  /** Of a file that the browser cannot show. */
  readonly unreadable: () => string
}

/** The English ones, those of a page in their place. */
export const createPictureTexts = ({ picture }: { readonly picture: Partial<PictureTexts> }): PictureTexts => ({
  choose: () => "Choose a picture",
  change: () => "Change picture",
  remove: () => "Remove picture",
  title: () => "Crop the picture",
  stage: () => "Picture to crop",
  hint: () => "Drag the picture or use the arrow keys to move it, + and − to zoom.",
  hintByFinger: () => "Drag the picture to move it, pinch to zoom.",
  zoom: () => "Zoom",
  zoomIn: () => "Zoom in",
  zoomOut: () => "Zoom out",
  zoomed: (percent) => `${percent} %`,
  moved: (across, down) => `${across} % across, ${down} % down`,
  use: () => "Use picture",
  unreadable: () => "This cannot be shown as a picture here. Choose another one, a JPEG or a PNG.",
  ...picture,
})
