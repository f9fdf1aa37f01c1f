/** How the id of an event looks. */
const form = /^evt_[\da-f]{32}$/

/** What to know of the id of an event that there is not: how one looks, where this text is no whole one, and what lists them. */
export const explainEventId = (id: string, lists: string): string =>
  form.test(id) ? lists : `The id of an event is evt_ and 32 characters, 0-9 and a-f. ${lists}`
