import { coreFailure } from '../client/core-client.ts'
import type { Context } from './context.ts'
import { progressOf } from './run-words.ts'

/** Core answers at once when the run has ended. */
const waitSeconds = 10

/**
 * Repeats a call that core refuses until the run that measures the coverage has ended, and shows the progress of the run
 * where the token may read it.
 */
export async function whileMeasuring<T>(context: Context, ask: (waitSeconds: number) => Promise<T>): Promise<T> {
  const { core, out, onInterrupt } = context
  let isAnnounced = false
  for (;;) {
    try {
      const answer = await ask(isAnnounced ? waitSeconds : 0)
      onInterrupt(null)
      return answer
    } catch (error) {
      const failure = coreFailure(error)
      if (failure?.kind !== 'refused' || failure.hint?.kind !== 'measuring') throw error
      const { runId } = failure.hint
      if (!isAnnounced) out.milestone(`Measuring the coverage with run ${runId}`)
      isAnnounced = true
      onInterrupt(`The run continues on the server. Follow it with \`assay log ${runId} --follow\`.`)
      const run = await (await core()).testRuns.get.query({ runId }).catch(() => undefined)
      if (run) out.milestone(`Measuring: ${progressOf({ ...run, status: run.reportedStatus })}`)
    }
  }
}
