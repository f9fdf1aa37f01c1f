import { toStrangeAnswer } from "./judge-failure.ts"
import type { S3Answer } from "./s3-request.ts"

/** The size of an object, by the answer to a HEAD. Fails: throws where it does not say. */
export const lengthOf = (operation: string, answer: S3Answer): number => {
  const length = answer.header("content-length") ?? ""
  if (isPlain(answer) && /^\d{1,15}$/.test(length)) return Number(length)
  throw toStrangeAnswer(operation, answer.status, "it does not say how large the object is")
}

/** The size of the whole object, by what was answered to a range. */
export const sizeOf = (answer: S3Answer): number => {
  const total = answer.status === 206 ? /\/(\d+)$/.exec(answer.header("content-range") ?? "")?.[1] : undefined
  return Number(total ?? answer.header("content-length"))
}

/** Whether the bytes are those of the object, and not packed on their way. */
export const isPlain = (answer: S3Answer): boolean => /^(identity)?$/.test(answer.header("content-encoding") ?? "")

/** Whether an answer has the bytes `start` to `end` of an object, or to its end where that comes before. */
export const isRangeOf = (answer: S3Answer, start: number, end = Infinity): boolean => {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(answer.header("content-range") ?? "") ?? []
  return (
    answer.status === 206 &&
    isPlain(answer) &&
    Number(first) === start &&
    Number(last) === Math.min(end, Number(total) - 1) &&
    Number(answer.header("content-length")) === Number(last) - start + 1
  )
}
