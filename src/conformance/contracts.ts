/**
 * Which versions the suites of this package test. The first number is the version of the contract: it rises when a driver
 * that passed may fail. The second one rises when a suite gets better at finding what broke the contract already.
 */
export const contracts = { blobStore: "2.0", catalog: "5.0", adapter: "1.0" } as const
