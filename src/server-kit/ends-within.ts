/** Whether work ends within so many ms; it goes on all the same. Fails: rejects as the work does in that time. */
export const endsWithin = async (work: Promise<unknown>, atMost: number): Promise<boolean> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, Math.max(atMost, 0), false)
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
