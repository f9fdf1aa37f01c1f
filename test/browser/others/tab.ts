/** A page in a browser that Playwright does not drive, with what a test of Sluice needs of it. */
export interface Tab {
  readonly goto: (url: string) => Promise<void>
  /** Runs a function in the page; arguments and result go as JSON. */
  readonly evaluate: <A, Args extends ReadonlyArray<unknown>>(
    work: (...args: Args) => A | Promise<A>,
    ...args: Args
  ) => Promise<A>
  /** Chooses files of the disk in a file input, as its dialog does. */
  readonly setFiles: (selector: string, paths: ReadonlyArray<string>) => Promise<void>
  /** Clicks by a pointer. */
  readonly click: (selector: string) => Promise<void>
  /** Presses a key, by its code point in WebDriver, or a character. */
  readonly press: (key: string) => Promise<void>
}

/** The Tab key. Source: W3C WebDriver, 17.4.2. */
export const tabKey = "\uE004"

/** A started browser with one tab. */
export interface OtherBrowser {
  readonly tab: Tab
  readonly close: () => Promise<void>
}

/** What a page runs: the function with its arguments, and whatever it throws as a text. */
export const toExpression = (work: (...args: never) => unknown, args: ReadonlyArray<unknown>): string =>
  `(async () => JSON.stringify({ value: await (${work.toString()})(...${JSON.stringify(args)}) }))()`

export const readResult = (text: string): any => (JSON.parse(text) as { readonly value?: unknown }).value
