/**
 * A value after its serialization to JSON: dates are strings, functions are gone, `undefined` alone is `null`.
 *
 * Flat and plain values, which most routes return, pass by the first test: the cheapest one for the compiler.
 */
export type Serialized<T> = T extends { readonly [key: string]: null | boolean | number | string | undefined }
  ? T
  : [T] extends [undefined | void]
    ? null
    : SerializedDeep<T>

/** What JSON leaves as it is, however deep: types of JSON that refer to themselves, as Supabase's and Prisma's, end here. */
type Plain = string | number | boolean | null | undefined | ReadonlyArray<Plain> | { readonly [key: string]: Plain }

// Elements of arrays are looked at one by one: a mapped type over an array that contains itself has no end.
type SerializedDeep<T> = [T] extends [Plain]
  ? T
  : T extends { toJSON(): infer R }
    ? R
    : T extends ((...args: never) => unknown) | symbol | bigint
      ? undefined
      : T extends ReadonlyMap<any, any> | ReadonlySet<any>
        ? Record<never, never>
        : T extends ReadonlyArray<infer Element>
          ? number extends T["length"]
            ? T extends Array<Element>
              ? Array<SerializedDeep<Element>>
              : ReadonlyArray<SerializedDeep<Element>>
            : { [K in keyof T]: SerializedDeep<T[K]> }
          : T extends object
            ? { [K in keyof T]: SerializedDeep<T[K]> }
            : T
