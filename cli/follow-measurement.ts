import { coreFailure } from '../client/core-client.ts'
import type { Context } from './context.ts'
import { progressOf } from './run-words.ts'

/** Core answers at once when the run has ended. */
const waitSeconds = 10

/**
 * Repeats a call that core refuses until the analysis and the run that measures the coverage have ended, and shows the
 * progress of the run where the token may read it.
 */
export async function whileMeasuring<T>(context: Context, ask: (waitSeconds: number) => Promise<T>): Promise<T> {
  const { core, out, onInterrupt } = context
  const announced = new Set<string>()
  const announce = (id: string, text: string, whenInterrupted: string) => {
    if (!announced.has(id)) out.milestone(text)
    announced.add(id)
    onInterrupt(whenInterrupted)
  }
  for (;;) {
    try {
      const answer = await ask(announced.size > 0 ? waitSeconds : 0)
      onInterrupt(null)
      return answer
    } catch (error) {
      const failure = coreFailure(error)
      const hint = failure?.kind === 'refused' ? failure.hint : undefined
      if (hint?.kind === 'analysis_running') {
        const id = hint.analysisId
        const more = `The analysis continues on the server. Follow it with \`assay analyze --id ${id}\`.`
        announce(id, `Waiting for analysis ${id}`, more)
      } else if (hint?.kind === 'measuring') {
        const { runId } = hint
        const more = `The run continues on the server. Follow it with \`assay log ${runId} --follow\`.`
        announce(runId, `Measuring the coverage with run ${runId}`, more)
        const run = await (await core()).testRuns.get.query({ runId }).catch(() => undefined)
        if (run) out.milestone(`Measuring: ${progressOf({ ...run, status: run.reportedStatus })}`)
      } else {
        throw error
      }
    }
  }
}
