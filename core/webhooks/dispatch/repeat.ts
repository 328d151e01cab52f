import type { Logger } from '../../base/log.ts'
import type { Gate } from './gate.ts'

const pauseMs = 500

export interface Repeated {
  /** Answers in how many milliseconds to do it again, if the gate does not open before. */
  step: () => Promise<number>
  gate: Gate
  until: AbortSignal
  log: Logger
  /** For the log. */
  name: string
}

/** Does it over and over; while it fails, every half second, and the log hears of the beginning and the end of that. */
export async function repeat({ step, gate, until, log, name }: Repeated): Promise<void> {
  let failing = false
  while (!until.aborted) {
    try {
      const waitMs = await step()
      if (failing) log.info(`${name} works again`)
      failing = false
      await gate.pass(waitMs)
    } catch (error) {
      if (!failing) log.error({ err: error }, `${name} fails at the moment`)
      failing = true
      await gate.pass(pauseMs, { patiently: true })
    }
  }
}
