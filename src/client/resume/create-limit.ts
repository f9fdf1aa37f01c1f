/** After how many seconds without any answer a question counts as lost. */
const longest = 5

/**
 * Makes a limit for questions to one part of the browser, which may never answer: what is remembered is optional, and no
 * upload waits for it for ever. Of thousands of questions at once the last one may take long: each waits on while others are
 * answered. Seconds are counted one by one, so that a page that was busy sees the answers of that time first.
 *
 * Fails: as the question does; with an Error once it counts as lost.
 */
export const createLimit = (): (<A>(question: Promise<A>) => Promise<A>) => {
  let answers = 0
  return (question) =>
    new Promise((resolve, reject) => {
      let seen = answers
      let quiet = 0
      const timer = setInterval(() => {
        quiet = seen === answers ? quiet + 1 : 0
        seen = answers
        if (quiet < longest) return
        clearInterval(timer)
        reject(new Error("No answer"))
      }, 1000)
      void question.then(resolve, reject).then(() => {
        answers++
        clearInterval(timer)
      })
    })
}
