interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Has things done together that are asked for at the same time: while some are under way, what comes in makes up the
 * next batch. Nobody waits for company, and a database that gets one statement for fifty serves several times as many.
 *
 * @param work - answers a result for each item, in their order; when it fails, each item is tried alone, so that one
 *   that cannot be done takes no others with it
 */
export function together<Item, Result>(
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
  const workOff = async (): Promise<void> => {
    if (running === parallel) return
    running++
    while (waiting.length > 0) await settle(waiting.splice(0, size))
    running--
  }
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      void workOff()
    })
}
