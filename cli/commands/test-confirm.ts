import type { Command } from 'commander'
import { type Confirmation, leastRepeats } from '../../core/confirmations/schema.ts'
import { addCommittedOptions } from '../committed.ts'
import { type Context, openContext } from '../context.ts'
import { findTestId, testWords } from '../find-test.ts'
import { CommandError, exitCodes } from '../failure.ts'
import { askPatiently } from '../following.ts'
import { addProjectOption, type ProjectOptions, wholeNumber } from '../options.ts'
import { dim, green, red, yellow } from '../output.ts'
import { resolveProject } from '../project.ts'
import { addIncludeOption, sentFacts } from '../snapshot.ts'
import { type CodeOptions, nameCode, wantedCode } from '../wanted-code.ts'
import { pageLine } from '../words.ts'

interface ConfirmOptions extends ProjectOptions, CodeOptions {
  variant?: string
  repeats?: number
}

const waitSeconds = 10

export function addTestConfirm(tests: Command): void {
  const confirm = tests
    .command('confirm')
    .description(
      'repeat a test alone and in its suite, to confirm that it is no longer flaky; in a checkout with the code of its ' +
        'working tree, as a snapshot if it differs from the commits of the server; exit code 1 if a repetition failed, 5 ' +
        'without a verdict',
    )
    .argument('<test>', testWords)
    .option(
      '--repeats <count>',
      'how often the test runs alone and in its suite, 10 to 300; 59 passes show that it fails in less than 5 % of runs (default: 20)',
      wholeNumber(leastRepeats, 300),
    )
    .option('--variant <variant>', 'the variant that is judged (default: the one with the worst health)')
  addIncludeOption(addProjectOption(addCommittedOptions(confirm))).action(confirmTest)
}

async function confirmTest(wanted: string, _options: unknown, command: Command): Promise<void> {
  const context = openContext(command)
  const { out, core, exitWith } = context
  const options = command.optsWithGlobals<ConfirmOptions>()
  const { project, variant, repeats } = options
  const code = await wantedCode(project, options, context)
  const client = await core()
  const { id: projectId } = await resolveProject(client, project, context)
  const testId = await findTestId(client, projectId, wanted)
  const { state, sent } = await nameCode(client, projectId, code, context)
  const { id } = await client.tests.confirmFix.mutate({ projectId, testId, ...state, variant, repeats })
  const ended = await follow(id, context)
  out.answer({ ...ended, ...sentFacts(sent) }, () => show(ended, context))
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
      if (error) throw new CommandError(exitCodes.noVerdict, 'CONFIRMATION_FAILED', wordsFor(error))
      return confirmation
    }
    const { phase, done, total } = confirmation.progress ?? { phase: confirmation.status, done: 0, total: 0 }
    out.progress(`Confirming: ${phase.replaceAll('_', ' ')}${total > 0 ? `, ${done} of ${total}` : ''} …`)
  }
}

const wordsFor = ({ code, message }: NonNullable<Confirmation['error']>) =>
  code === 'commit_not_found'
    ? `${message} Push it, or leave out --commit and --head to confirm the working tree.`
    : message

function show({ verdict, evidence, status, mergedAt, snapshotId, url }: Confirmation, { out }: Context): void {
  const color = verdict === 'confirmed' ? green : verdict === 'failed' ? red : yellow
  out.line(color((verdict ?? status).toUpperCase()), `  ${evidence?.summary ?? ''}`)
  for (const error of evidence?.errors ?? []) out.line(`    ${error.split('\n')[0] ?? ''}`)
  for (const warning of evidence?.warnings ?? []) out.line(yellow(`! ${warning}`))
  if (verdict === 'confirmed') {
    const merge = snapshotId === null ? 'contains this commit' : 'is tested with exactly these files'
    out.line(
      mergedAt === null
        ? `The test counts as healthy as soon as the branch of the project ${merge}.`
        : 'The test counts as healthy now.',
    )
  }
  out.line(dim(pageLine(url)))
}
