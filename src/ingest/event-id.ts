/** An id for an event: `evt_` and 128 random bits. */
export const createEventId = (): string => `evt_${crypto.randomUUID().replaceAll("-", "")}`
