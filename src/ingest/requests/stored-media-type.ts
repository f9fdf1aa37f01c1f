import { defaultMediaType, normalizeMediaType } from "../../protocol/files/media-type.ts"

/**
 * The media type of a stored file, safe to send: a catalog can hold values that an older version, or another program,
 * has written.
 */
export const toStoredMediaType = (type: string): string => normalizeMediaType(type) ?? defaultMediaType
