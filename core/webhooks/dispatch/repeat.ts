import type { Logger } from '../../base/log.ts'
import type { WakeSignal } from './wake-signal.ts'

const pauseMs = 500

export interface Repeated {
  /** Returns after how many milliseconds to run again, unless `wake` is notified earlier. */
  step: () => Promise<number>
  wake: WakeSignal
  until: AbortSignal
  log: Logger
  name: string
}

/** Runs a step in a loop. After a failure it retries every half second and logs only the first failure and the recovery. */
export async function repeat({ step, wake, until, log, name }: Repeated): Promise<void> {
  let failing = false
  while (!until.aborted) {
    try {
      const waitMs = await step()
      if (failing) log.info(`${name} works again`)
      failing = false
      await wake.wait(waitMs)
    } catch (error) {
      if (!failing) log.error({ err: error }, `${name} failed; retrying`)
      failing = true
      await wake.wait(pauseMs, { uninterrupted: true })
    }
  }
}
