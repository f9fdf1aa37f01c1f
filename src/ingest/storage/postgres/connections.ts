import { createPlaces, type Places } from "../places.ts"
import type { PostgresPool } from "./pool.ts"

/** Connections of a pool that says nothing else: the default of `pg`. */
const usualSize = 10

const placesOf = new WeakMap<PostgresPool, Places>()

/**
 * The connections of a pool that whoever has something to do may use at once: all but one, which is for looks at other processes
 * and for nothing else. A process that could not look would be taken for dead. Everything that is made over one pool shares them.
 */
export const findPlaces = (pool: PostgresPool): Places => {
  const places = placesOf.get(pool) ?? createPlaces(Math.max((pool.options?.max ?? usualSize) - 1, 1))
  placesOf.set(pool, places)
  return places
}

/**
 * Has the bounded uploads of an app begin one after the other in this process. Each of them would wait for the one before in the
 * database, with a connection.
 */
export type InTurn = <A>(appId: string, work: () => Promise<A>) => Promise<A>

export const createTurns = (): InTurn => {
  const last = new Map<string, Promise<unknown>>()
  return (name, work) => {
    const before = last.get(name) ?? Promise.resolve()
    const done = before.then(work)
    const ended = done
      .catch(() => {})
      .finally(() => {
        if (last.get(name) === ended) last.delete(name)
      })
    last.set(name, ended)
    return done
  }
}
