import { FairQueue } from '../../engines/processes/fair-queue.ts'

/** Returns a function that runs at most `max` tasks at a time. The others wait in first-in, first-out order. */
export function limitConcurrency(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < max) running++
    else await new Promise<void>((resolve) => void waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

/**
 * Returns a function that runs at most `max` tasks at a time, and at most `maxOfOwner` of one owner. Owners whose tasks
 * wait take turns.
 */
export function limitOwners(max: number, maxOfOwner: number): <T>(owner: string, work: () => Promise<T>) => Promise<T> {
  const queue = new FairQueue<() => void>()
  const running = new Map<string, number>()
  let sum = 0
  const startNext = () => {
    const isFree = (owner: string) => sum < max && (running.get(owner) ?? 0) < maxOfOwner
    for (let start = queue.take(isFree); start; start = queue.take(isFree)) start()
  }
  return async (owner, work) => {
    await new Promise<void>((resolve) => {
      queue.add(owner, () => {
        sum++
        running.set(owner, (running.get(owner) ?? 0) + 1)
        resolve()
      })
      startNext()
    })
    try {
      return await work()
    } finally {
      sum--
      const left = (running.get(owner) ?? 1) - 1
      if (left === 0) running.delete(owner)
      else running.set(owner, left)
      startNext()
    }
  }
}
