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

type SerializedDeep<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends { toJSON(): infer R }
    ? R
    : T extends ((...args: never) => unknown) | symbol | bigint
      ? undefined
      : T extends object
        ? { [K in keyof T]: SerializedDeep<T[K]> }
        : T
