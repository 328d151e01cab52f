import type { Command } from 'commander'
import { type Confirmation, leastRepeats } from '../../core/confirmations/schema.ts'
import { type Context, openContext } from '../context.ts'
import { findTestId, testWords } from '../find-test.ts'
import { CommandError, exitCodes } from '../failure.ts'
import { askPatiently } from '../following.ts'
import { addProjectOption, type ProjectOptions, wholeNumber } from '../options.ts'
import { dim, green, red, yellow } from '../output.ts'
import { resolveProject } from '../project.ts'
import { pageLine } from '../words.ts'

interface ConfirmOptions extends ProjectOptions {
  commit?: string
  branch?: string
  variant?: string
  repeats?: number
}

const waitSeconds = 10

export function addTestConfirm(tests: Command): void {
  const confirm = tests
    .command('confirm')
    .description('repeat a test alone and in its suite, to confirm that it is no longer flaky')
    .argument('<test>', testWords)
    .option('--branch <branch>', 'latest commit of this branch (default: the branch of the project)')
    .option('--commit <id>', 'full id of the commit with the fix')
    .option('--variant <variant>', 'only for a test with several variants')
    .option(
      '--repeats <count>',
      'how often the test runs alone, at least 10; 59 show less than 5 % failures (default: 20)',
      wholeNumber(leastRepeats, 300),
    )
  addProjectOption(confirm).action(confirmTest)
}

async function confirmTest(wanted: string, _options: unknown, command: Command): Promise<void> {
  const context = openContext(command)
  const { out, core, exitWith } = context
  const options = command.optsWithGlobals<ConfirmOptions>()
  const client = await core()
  const { id: projectId } = await resolveProject(client, options.project, context)
  const testId = await findTestId(client, projectId, wanted)
  const { branch, commit: commitSha, variant, repeats } = options
  const { id } = await client.tests.confirmFix.mutate({ projectId, testId, branch, commitSha, variant, repeats })
  const ended = await follow(id, context)
  out.answer(ended, () => show(ended, context))
  if (ended.verdict !== 'confirmed') exitWith(ended.verdict === 'failed' ? exitCodes.no : exitCodes.noVerdict)
}

async function follow(confirmationId: string, context: Context): Promise<Confirmation> {
  const { out, core, onInterrupt } = context
  const client = await core()
  onInterrupt(`The confirmation ${confirmationId} continues on the server.`)
  for (;;) {
    const ask = () => client.tests.getConfirmation.query({ confirmationId, waitSeconds })
    const confirmation = await askPatiently(ask, context)
    if (confirmation.completedAt !== null) {
      onInterrupt(null)
      const { error } = confirmation
      if (error) throw new CommandError(exitCodes.noVerdict, 'CONFIRMATION_FAILED', error.message)
      return confirmation
    }
    const { phase, done, total } = confirmation.progress ?? { phase: confirmation.status, done: 0, total: 0 }
    out.progress(`Confirming: ${phase.replaceAll('_', ' ')}${total > 0 ? `, ${done} of ${total}` : ''} …`)
  }
}

function show({ verdict, evidence, status, mergedAt, url }: Confirmation, { out }: Context): void {
  const color = verdict === 'confirmed' ? green : verdict === 'failed' ? red : yellow
  out.line(color((verdict ?? status).toUpperCase()), `  ${evidence?.summary ?? ''}`)
  for (const error of evidence?.errors ?? []) out.line(`    ${error.split('\n')[0] ?? ''}`)
  for (const warning of evidence?.warnings ?? []) out.line(yellow(`! ${warning}`))
  if (verdict === 'confirmed') {
    out.line(
      mergedAt === null
        ? 'The test counts as healthy as soon as the branch of the project contains this commit.'
        : 'The test counts as healthy now.',
    )
  }
  out.line(dim(pageLine(url)))
}
