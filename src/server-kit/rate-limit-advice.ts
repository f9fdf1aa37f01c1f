import { names } from "../protocol/names.ts"

/** What to do where a callback is answered with 429 by somebody in front of the route handler. One line of ASCII. */
export const rateLimitAdvice = `A rate limiter in front of the route handler takes all callbacks for those of one client. Let it exempt requests that have the header ${names.header.hook}: without the app's signature they achieve nothing.`
