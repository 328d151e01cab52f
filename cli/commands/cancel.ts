import type { Command } from 'commander'
import { openContext } from '../context.ts'
import { statusPart } from '../run-words.ts'

export function addCancel(program: Command): void {
  program
    .command('cancel')
    .description('cancel a run')
    .argument('<run>', 'id of the run')
    .action(async (runId: string, _options: unknown, command: Command) => {
      const { out, core } = openContext(command)
      const run = await (await core()).testRuns.cancel.mutate({ runId })
      out.answer(run, () => {
        out.line(statusPart(run.reportedStatus), `  ${run.id}`)
        if (run.reportedStatus !== 'CANCELLED') out.hint('The run had already ended.')
      })
    })
}
