interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Batches concurrent calls: items that arrive while a batch is running form the next one. No call waits for a batch to
 * fill, and one database statement for many items multiplies the throughput.
 *
 * @param work - returns a result for each item, in order. If it fails, each item is retried alone, so that a faulty
 *   item does not affect the others.
 */
export function inBatches<Item, Result>(
  work: (items: Item[]) => Promise<Result[]>,
  { size, parallel }: { size: number; parallel: number },
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  let running = 0

  const settle = async (batch: Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = work(batch.map(({ item }) => item))
      for (const [index, result] of (await results).entries()) batch[index]?.resolve(result)
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error)
      else await Promise.all(batch.map((one) => settle([one])))
    }
  }
  const runBatches = async (): Promise<void> => {
    if (running === parallel) return
    running++
    while (waiting.length > 0) await settle(waiting.splice(0, size))
    running--
  }
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      void runBatches()
    })
}
