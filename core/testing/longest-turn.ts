/**
 * Measures the longest turn of the event loop, which no other request can interrupt, in milliseconds of this thread's
 * processor. Other load of the machine does not count.
 */
export async function longestTurnDuring(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isDone = false
  let last = used()
  const measure = () => {
    const now = used()
    longest = Math.max(longest, now - last)
    last = now
    if (!isDone) setImmediate(measure)
  }
  setImmediate(measure)
  try {
    await work()
    await new Promise((resolve) => void setImmediate(resolve))
  } finally {
    isDone = true
  }
  return longest
}

function used(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
