interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Batches concurrent calls: items that arrive while a batch is running form the next one. No call waits for a batch to
 * fill, and one database statement for many items multiplies the throughput.
 *
 * @param work - returns a result for each item, in order
 * @param limits.retriesAlone - whether each item of a failed batch is tried again alone, so that a faulty item does not
 *   affect the others; otherwise all of them fail
 */
export function inBatches<Item, Result>(
  work: (items: Item[]) => Promise<Result[]>,
  { size, parallel, retriesAlone }: { size: number; parallel: number; retriesAlone: boolean },
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  let running = 0

  const settle = async (batch: Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = work(batch.map(({ item }) => item))
      for (const [index, result] of (await results).entries()) batch[index]?.resolve(result)
    } catch (error) {
      if (retriesAlone && batch.length > 1) await Promise.all(batch.map((one) => settle([one])))
      else for (const { reject } of batch) reject(error)
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
