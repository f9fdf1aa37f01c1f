/** What the pages say, in every framework. */
export const texts = {
  title: (framework: string) => `Sluice on ${framework}`,
  intro: "Page → app → ingest → app → page, on this machine.",
  guest: (name: string) => `Signed in as ${name}`,
  avatar: {
    title: "Avatar",
    lead: "A picture, read back from the storage as soon as it is there.",
    alt: "Your avatar",
    none: "No picture yet",
  },
  files: {
    title: "Large files",
    lead: "Many at once, up to 16 GB each. Pause one, or reload the page: it goes on where it was.",
    stored: "Stored",
  },
  document: {
    title: "Private documents",
    lead: "Readable by nobody but you: the app signs a link when you ask for one.",
    open: "Open (signed, 60 s)",
    plain: "Plain URL (refused)",
    of: (action: string, name: string) => `${action}: ${name}`,
  },
} as const

/** The logo, as the address of an image. */
export const logo =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%230e7c86'/%3E%3Cpath d='M7 12c3 0 3 2.5 6 2.5S16 12 19 12s3 2.5 6 2.5M7 19c3 0 3 2.5 6 2.5S16 19 19 19s3 2.5 6 2.5' fill='none' stroke='white' stroke-width='2.6' stroke-linecap='round'/%3E%3C/svg%3E"
