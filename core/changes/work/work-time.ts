/** The time that the runs of one verification may take. */
export interface WorkTime {
  isOver(): boolean
  /** Does work that does not count, such as an install. */
  uncounted<Result>(work: () => Promise<Result>): Promise<Result>
}

export function startWorkTime(limitMs: number, now = () => performance.now()): WorkTime {
  let endsAt = now() + limitMs
  return {
    isOver: () => now() > endsAt,
    async uncounted(work) {
      const begunAt = now()
      try {
        return await work()
      } finally {
        endsAt += now() - begunAt
      }
    },
  }
}
