import { type Command, Option } from 'commander'
import type { CoreClient } from '../../client/core-client.ts'
import { type Context, openContext } from '../context.ts'
import { followRun } from '../follow-run.ts'
import { wholeNumber } from '../options.ts'
import { runCoverageWords } from '../../client/run-coverage-words.ts'
import { countsOf, progressOf } from '../run-words.ts'

interface LogOptions {
  tail?: number
  follow?: boolean
}

const pageLines = 1_000

export function addLog(program: Command): void {
  program
    .command('log')
    .description('print the log of a run')
    .argument('<run>', 'id of the run')
    .addOption(new Option('--tail <lines>', 'print only the last lines').argParser(wholeNumber(1)))
    .option('-f, --follow', 'follow the log until the run ends')
    .action(async (runId: string, options: LogOptions, command: Command) => {
      const context = openContext(command)
      const core = await context.core()
      const lines: string[] = []
      for await (const line of options.follow === true
        ? follow(core, runId, options, context)
        : read(core, runId, options)) {
        if (context.out.json) lines.push(line)
        else context.out.block(line)
      }
      context.out.answer({ runId, lines }, () => {})
      if (context.out.watched) await summarize(core, runId, context)
    })
}

/** Says how the run ended, for a user who has only seen its output. */
async function summarize(core: CoreClient, runId: string, { out }: Context): Promise<void> {
  const run = await core.testRuns.get.query({ runId })
  if (run.completedAt === null) return
  const covered = runCoverageWords(run)
  const facts = [run.reportedStatus, countsOf(run), ...(covered ? [`coverage ${covered.summary}`] : [])]
  out.hint(`${facts.join(', ')}.`)
}

async function* read(core: CoreClient, runId: string, { tail }: LogOptions): AsyncGenerator<string> {
  let offset = tail === undefined ? 0 : -tail
  for (;;) {
    const page = await core.testRuns.log.query({ runId, offset, limit: pageLines })
    yield* page.lines
    offset = page.offset + page.lines.length
    if (page.lines.length === 0 || offset >= page.totalLines) return
  }
}

async function* follow(
  core: CoreClient,
  runId: string,
  { tail }: LogOptions,
  { credentials, signal, out, onInterrupt }: Context,
): AsyncGenerator<string> {
  // This call reports a wrong id, which the event stream does not.
  await core.testRuns.get.query({ runId })
  onInterrupt(`Stopped following. The run continues on the server. Cancel it with \`assay cancel ${runId}\`.`)
  const onLost = () => out.progress('The connection was lost. Retrying …')
  const from = tail === undefined ? 0 : -tail
  for await (const event of followRun(core, { runId, from, credentials: await credentials(), signal, onLost })) {
    if (event.event === 'log') yield event.data.text
    else if (event.event === 'status') out.progress(progressOf(event.data))
  }
  onInterrupt(null)
}
