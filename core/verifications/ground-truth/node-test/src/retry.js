/** Tries again after 1, 2, 4 … times `delayMs`; the last error is the caller's. */
export async function retry(work, { attempts, delayMs, sleep }) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt)
    } catch (error) {
      if (attempt >= attempts || error.isFinal) throw error
      await sleep(delayMs * 2 ** (attempt - 1))
    }
  }
}
