const bare = (etag: string | undefined): string | undefined => etag?.replaceAll('"', "")

/** Whether two ETags name the same bytes; some servers put them in quotes, some do not. */
export const isSameEtag = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && bare(one) === bare(other)
