import type { Command } from 'commander'
import { openContext } from '../context.ts'
import { statusPart } from '../run-words.ts'

export function addCancel(program: Command): void {
  program
    .command('cancel')
    .description('end a run that waits or runs')
    .argument('<run>', "a run's id")
    .action(async (runId: string, _options: unknown, command: Command) => {
      const { out, core } = openContext(command)
      const run = await (await core()).testRuns.cancel.mutate({ runId })
      out.answer(run, () => {
        out.line(statusPart(run.reportedStatus), `  ${run.id}`)
        if (run.reportedStatus !== 'CANCELLED') out.hint('It had ended before, and stays as it is.')
      })
    })
}
