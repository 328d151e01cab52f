import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type LocalTestFile, readLocalTestFile } from '../../client/local-test-file.ts'
import { inWordsOf } from '../../client/procedure-names.ts'
import { verificationProgress } from '../../client/progress.ts'
import { adviceFor, differentFailures, keepLocal, noVerdict } from '../../client/verification-words.ts'
import { findUncommitted, type Uncommitted } from '../../client/uncommitted.ts'
import type { CommittedTree, SentSnapshot } from '../../client/snapshot.ts'
import type { Verification } from '../../core/verifications/schema.ts'
import type { CoverageGain, MutationResult, Verdict } from '../../engines/verdicts/schema.ts'
import { type Context, openContext } from '../context.ts'
import { committedState } from '../committed.ts'
import { exitCodes, wrongUsage } from '../failure.ts'
import { askPatiently, waitSeconds } from '../following.ts'
import { addProjectOption, wholeNumber } from '../options.ts'
import { bold, dim, green, type Part, red, yellow } from '../output.ts'
import { pathInRepository, projectOfCheckout, resolveProject } from '../project.ts'
import { addIncludeOption, sendCheckout, sentFacts, stateOf } from '../snapshot.ts'
import { duration } from '../words.ts'
import { addChangeOptions, type ChangeOptions, refuseChangeOptions, verifyChange } from './verify-change.ts'

interface VerifyOptions extends ChangeOptions {
  target?: { path: string; symbol?: string }
  suggestion?: string
}

export function addVerify(program: Command): void {
  const verify = program
    .command('verify')
    .description(
      'decide whether a test is worth keeping by running it with the code of the checkout, as a snapshot if it differs ' +
        'from the commits of the server; exit code 1 unless it is accepted, 5 without a verdict',
    )
    .argument('[file]', 'test file in the working tree')
    .addOption(new Option('--target <path:symbol>', 'code under test (default: detected)').argParser(readTarget))
    .option('--suggestion <id>', 'suggestion that the test implements')
    .option(
      '--branch <branch>',
      'verify on the newest commit of this branch (default with --project: that of the project)',
    )
    .option('--commit <id>', 'verify on this commit (full id)')
    .addOption(
      new Option('--repeats <count>', 'number of runs of the unchanged code (default: 5)').argParser(
        wholeNumber(2, 20),
      ),
    )
    .addOption(
      new Option('--mutants <count>', 'maximum number of mutants (default: 20)').argParser(wholeNumber(0, 100)),
    )
    .option('--again', 'ignore earlier results for the same test and commit')
    .option('--id <verification>', 'follow a verification that was started earlier, instead of a file')
    .option('--cancel', 'cancel the verification (with --id)')
  addIncludeOption(addProjectOption(addChangeOptions(verify))).action(run)
}

async function run(file: string | undefined, options: VerifyOptions, command: Command): Promise<void> {
  const context = openContext(command)
  if (options.change === true) {
    if (file !== undefined || options.target !== undefined || options.suggestion !== undefined) {
      throw wrongUsage('--change verifies the whole change. Leave out the file, --target and --suggestion.')
    }
    return verifyChange(options, context)
  }
  refuseChangeOptions(options)
  const { id, cancel = false } = options
  if ((file === undefined) === (id === undefined)) throw wrongUsage('Give either a test file or --id, not both.')
  if (cancel && id === undefined) throw wrongUsage('--cancel requires the --id of a verification.')
  const client = await context.core()
  if (cancel && id !== undefined) {
    const cancelled = await client.tests.cancelVerification.mutate({ verificationId: id })
    context.out.answer(cancelled, () => context.out.line(`The verification ${id} is ${cancelled.status}.`))
    return
  }
  const test = id === undefined ? await readLocalTestFile(resolve(context.cwd, file ?? '')) : undefined
  const { verificationId, sent } = test ? await start(test, options, context) : { verificationId: id ?? '' }
  const ended = await follow(verificationId, context)
  // A snapshot has all that the test needs, and the test itself as HEAD has it.
  const commitSha = sent?.snapshot ? sent.headSha : ended.commitSha
  const uncommitted = test ? await findUncommitted(test, { ...ended, commitSha }) : { warnings: [] }
  const { isCommitted } = uncommitted
  show(ended, sent?.snapshot ? { warnings: [], ...(isCommitted && { isCommitted }) } : uncommitted, sent, context)
  if (ended.verdict === null) context.exitWith(exitCodes.noVerdict)
  else if (ended.verdict !== 'accepted') context.exitWith(exitCodes.no)
}

interface Started {
  verificationId: string
  /** Absent for what is committed. */
  sent?: SentSnapshot | CommittedTree
}

async function start(test: LocalTestFile, options: VerifyOptions, context: Context): Promise<Started> {
  const { repository, filePath, code } = test
  const { target, suggestion, repeats, mutants, again, include, project } = options
  const client = await context.core()
  const committed = await committedState(options, repository.root, context)
  const isCheckout = project === undefined && !committed
  if (include && !isCheckout) {
    throw wrongUsage('--include cannot be combined with --head, --branch, --commit or --project.')
  }
  const { id: projectId } = await (project === undefined
    ? projectOfCheckout(client, repository)
    : resolveProject(client, project, context))
  const { root } = repository
  // The test is judged against the one that is committed, or as a new one.
  const sent = isCheckout
    ? await sendCheckout(client, { projectId, root, include, except: [filePath] }, context)
    : undefined
  const { id } = await client.tests.verify.mutate({
    projectId,
    filePath,
    code,
    target: target && { ...target, path: await pathInRepository(target.path, context) },
    suggestionId: suggestion,
    ...(sent ? stateOf(sent) : committed),
    repeats,
    mutants,
    again,
  })
  return { verificationId: id, ...(sent && { sent }) }
}

async function follow(verificationId: string, context: Context): Promise<Verification> {
  const { out, onInterrupt } = context
  const client = await context.core()
  const startedAt = Date.now()
  onInterrupt(
    `The verification continues on the server. Follow it with \`assay verify --id ${verificationId}\`, or add ` +
      '--cancel to cancel it.',
  )
  out.milestone(`Waiting for verification ${verificationId}`)
  for (;;) {
    const wait = waitSeconds(startedAt, out.watched)
    const record = await askPatiently(
      () => client.tests.getVerification.query({ verificationId, waitSeconds: wait }),
      context,
    )
    if (record.completedAt !== null) {
      onInterrupt(null)
      return record
    }
    out.milestone(`Verifying ${record.filePath}: ${verificationProgress(record).message}`)
  }
}

const looks: Record<Verdict, (text: string) => Part> = {
  accepted: green,
  no_gain: yellow,
  flaky: yellow,
  not_built: red,
  suspected_bug: red,
}

function show(record: Verification, uncommitted: Uncommitted, sent: Started['sent'], { out }: Context): void {
  const { id, filePath, verdict, evidence, commitSha, snapshotId, status, error, sameAs } = record
  out.answer({ ...record, ...sentFacts(sent) }, () => {
    if (verdict === null || !evidence) {
      out.line(red(status), `  ${filePath}`)
      // The output of a failed command follows the first line.
      const [reason = '', ...output] = error ? error.message.split('\n') : ['No verdict was reached.']
      out.line(error ? `${error.code}: ${reason}` : reason)
      if (output.length > 0) out.block(output.map((line) => `  ${line}`).join('\n'))
      out.hint(noVerdict)
      if (uncommitted.next) out.hint(uncommitted.next)
      return
    }
    out.line(looks[verdict](verdict), '  ', bold(filePath), `  ${inWordsOf('commands', evidence.summary)}`)
    const { target, coverage, mutation, runs, durationMs, command } = evidence
    const failed = runs.filter(({ outcome }) => outcome !== 'passed').length
    out.facts([
      ['Target', target && [target.path, target.symbol].filter(Boolean).join(':')],
      ['Runs', `${runs.length}, of which ${failed} failed`],
      ['New coverage', coverage && newlyRun(coverage)],
      ['Mutants', mutation && mutants(mutation)],
      snapshotId === null ? ['Commit', commitSha] : ['Snapshot', snapshotId],
      ['Took', sameAs === null ? duration(durationMs) : `no time: the result is that of ${sameAs}`],
      ['Command', command],
      ['Id', id],
    ])
    for (const { path, line, original, replacement } of mutation?.survivors.slice(0, 5) ?? []) {
      out.line(dim('Survived'), `  ${path}:${line}  ${original}  ->  ${replacement}`)
    }
    for (const { test, message, file, line, count } of differentFailures(runs).slice(0, 3)) {
      const place = file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`
      out.line(red('Failed'), `  ${test}${place}`, dim(`  in ${count} of ${runs.length} runs`))
      if (message) out.block(message)
    }
    if (verdict === 'not_built' && evidence.output) out.block(evidence.output)
    for (const warning of [...uncommitted.warnings, ...evidence.warnings]) out.hint(inWordsOf('commands', warning))
    const keep = keepLocal(record, uncommitted.isCommitted)
    const advice = adviceFor(record, { keep, again: 'verify it again', target: '--target' })
    const then = uncommitted.next && verdict === 'not_built' ? 'Then verify again.' : advice
    out.line(bold('Next'), `  ${[uncommitted.next, then].filter(Boolean).join(' ')}`)
  })
}

/** Lines and branches that no other test covers. */
function newlyRun(gain: CoverageGain): string {
  const { newTargetLines, newProjectLines, newProjectBranches, newTargetBranches, newTargetBranchLines = '' } = gain
  const branches = Math.max(newProjectBranches, newTargetBranches)
  const where = newTargetBranchLines === '' ? '' : ` (of ${linesIn(newTargetBranchLines)})`
  const parts = [
    ...(newTargetLines === '' ? [] : [linesIn(newTargetLines)]),
    ...(newTargetLines === '' && newProjectLines > 0 ? [`${newProjectLines} lines in other files`] : []),
    ...(branches > 0 ? [`${branches === 1 ? '1 branch' : `${branches} branches`}${where}`] : []),
  ]
  return parts.join(', ') || 'none'
}

const linesIn = (ranges: string) => `${/[-,]/.test(ranges) ? 'lines' : 'line'} ${ranges}`

function readTarget(text: string): { path: string; symbol?: string } {
  const [, path, symbol] = /^(.+?)(?::([^:/\\]+))?$/.exec(text) ?? []
  if (!path)
    throw new InvalidArgumentError('It must be a path with an optional symbol, such as src/cart.ts:Cart.total.')
  return { path, ...(symbol === undefined ? {} : { symbol }) }
}

function mutants({ tried, killed, survived, crashed, timedOut }: MutationResult): string {
  const others = [crashed > 0 && `${crashed} crashed`, timedOut > 0 && `${timedOut} timed out`].filter(Boolean)
  return [`${killed} of ${tried} killed`, `${survived} survived`, ...others].join(', ')
}
