/** Batches on their way to the caller, so that both processes work at the same time. */
const maxUnanswered = 3

/** For a task: hands batches to the caller, and waits only while the caller is several batches behind. */
export function batchSender<Batch>(ask: (batch: Batch) => Promise<unknown>) {
  const unanswered = new Set<Promise<unknown>>()
  return {
    async send(batch: Batch): Promise<void> {
      const answer = ask(batch).finally(() => unanswered.delete(answer))
      unanswered.add(answer)
      // `finish` or the next `send` reports the failure.
      answer.catch(() => undefined)
      if (unanswered.size >= maxUnanswered) await Promise.race(unanswered)
    },
    /** Call it at the end, since the caller may refuse the last batches. */
    finish: () => Promise.all(unanswered),
  }
}

/** Characters of a message: with fewer, the messages would cost more than what they carry. */
const messageLength = 256 * 1_024

/**
 * For a task: hands items to the caller as JSON text, which is quicker to pass on than objects.
 *
 * @param lengthOf - returns about how many characters an item takes
 */
export function itemSender<Item>(ask: (json: string) => Promise<unknown>, lengthOf: (item: Item) => number) {
  const batches = batchSender(ask)
  let items: Item[] = []
  let length = 0
  const flush = async () => {
    const json = JSON.stringify(items)
    items = []
    length = 0
    await batches.send(json)
  }
  return {
    async add(item: Item): Promise<void> {
      items.push(item)
      length += lengthOf(item)
      if (length >= messageLength) await flush()
    },
    async finish(): Promise<void> {
      if (items.length > 0) await flush()
      await batches.finish()
    },
  }
}

/**
 * For the caller of such a task: yields the batches, and returns the result of the task. Abandons the task when the
 * batches are no longer read.
 *
 * @param run - starts the task, which hands over its batches with `onAsk`
 */
export async function* receiveBatches<Batch, Result>(
  run: (options: { signal: AbortSignal; onAsk: (batch: Batch) => Promise<void> }) => Promise<Result>,
): AsyncGenerator<Batch, Result, undefined> {
  const abort = new AbortController()
  const received: { batch: Batch; taken: () => void }[] = []
  let notice = () => {}
  let end: PromiseSettledResult<Result> | undefined
  const onAsk = (batch: Batch) =>
    new Promise<void>((taken) => {
      received.push({ batch, taken })
      notice()
    })
  const running = Promise.allSettled([run({ signal: abort.signal, onAsk })]).then(([settled]) => {
    end = settled
    notice()
  })
  try {
    for (;;) {
      const next = received.shift()
      if (next) {
        yield next.batch
        next.taken()
      } else if (end) break
      else await new Promise<void>((resolve) => (notice = resolve))
    }
  } finally {
    abort.abort()
    for (const { taken } of received) taken()
    await running
  }
  if (end.status === 'rejected') throw end.reason
  return end.value
}
