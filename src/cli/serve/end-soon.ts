/** How long what still holds a process that has stopped may go on, ms. */
const moment = 1000

/**
 * Lets the process end, with the exit code that is set by then, also where something still holds it: a connection of foreign code,
 * or one that nothing answers.
 */
export const endSoon = (): void => void setTimeout(() => process.exit(), moment).unref()
