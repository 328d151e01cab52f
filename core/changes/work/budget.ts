/** Publishes provisional answers after the time for the first answer. */
export interface Budget extends AsyncDisposable {
  /** Publishes an answer now if the time is over, and makes later ones possible. */
  answerIsKnown(): Promise<void>
}

/**
 * @param budgetMs - the time until an answer is due
 * @param publish - publishes what is known
 */
export function startBudget(budgetMs: number, publish: () => Promise<void>): Budget {
  let isDue = false
  let isKnown = false
  let failure: { error: unknown } | undefined
  let publishing = Promise.resolve()
  const publishNext = () => {
    publishing = publishing.then(publish).catch((error: unknown) => {
      failure ??= { error }
    })
    return publishing
  }
  const timer = setTimeout(() => {
    isDue = true
    if (isKnown) void publishNext()
  }, budgetMs)
  return {
    async answerIsKnown() {
      isKnown = true
      if (isDue) await publishNext()
      if (failure) throw failure.error
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      await publishing
    },
  }
}
