import { defaultMediaType, normalizeMediaType } from "../protocol/media-type.ts"

/**
 * The media type of a file that is stored, as it may be sent: a catalog can hold what an older version, or other hands,
 * put into it.
 */
export const toStoredMediaType = (type: string): string => normalizeMediaType(type) ?? defaultMediaType
