import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type LocalTestFile, readLocalTestFile } from '../../client/local-test-file.ts'
import { findUncommitted, type Uncommitted } from '../../client/uncommitted.ts'
import type { Verification } from '../../core/verifications/schema.ts'
import type { CoverageGain, FailedTest, Verdict, VerificationRun } from '../../engines/verdicts/schema.ts'
import { type Context, openContext } from '../context.ts'
import { exitCodes, wrongUsage } from '../failure.ts'
import { waitSeconds } from '../following.ts'
import { addProjectOption, type ProjectOptions, wholeNumber } from '../options.ts'
import { bold, dim, green, type Part, red, yellow } from '../output.ts'
import { pathInRepository, projectOfCheckout, resolveProject } from '../project.ts'
import { duration } from '../words.ts'

interface VerifyOptions extends ProjectOptions {
  target?: { path: string; symbol?: string }
  suggestion?: string
  branch?: string
  commit?: string
  repeats?: number
  mutants?: number
  again?: boolean
  id?: string
  cancel?: boolean
}

export function addVerify(program: Command): void {
  const verify = program
    .command('verify')
    .description(
      'say whether a test is worth keeping, by running it; exit code 1 unless it is accepted, 5 without a verdict',
    )
    .argument('[file]', 'the test, as it is in the working tree')
    .addOption(
      new Option('--target <path:symbol>', 'what the test is about (default: found out)').argParser(readTarget),
    )
    .option('--suggestion <id>', 'the suggestion that the test follows')
    .option('--branch <branch>', "verify on this branch's newest commit (default: the project's branch)")
    .option('--commit <id>', 'verify on this commit, by its full id')
    .addOption(new Option('--repeats <count>', 'runs of the test alone (default: 5)').argParser(wholeNumber(2, 20)))
    .addOption(
      new Option('--mutants <count>', 'changes to try it against (default: 20)').argParser(wholeNumber(0, 100)),
    )
    .option('--again', 'measure anew what was measured before')
    .option('--id <verification>', 'in place of a file: go on following a verification')
    .option('--cancel', 'with --id: end it')
  addProjectOption(verify).action(run)
}

async function run(file: string | undefined, options: VerifyOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { id, cancel = false } = options
  if ((file === undefined) === (id === undefined)) throw wrongUsage('Give either the file of a test or --id.')
  if (cancel && id === undefined) throw wrongUsage('--cancel needs the --id of a verification.')
  const client = await context.core()
  if (cancel && id !== undefined) {
    const cancelled = await client.tests.cancelVerification.mutate({ verificationId: id })
    context.out.answer(cancelled, () => context.out.line(`The verification ${id} is ${cancelled.status}.`))
    return
  }
  const test = id === undefined ? await readLocalTestFile(resolve(context.cwd, file ?? '')) : undefined
  const ended = await follow(test ? await start(test, options, context) : (id ?? ''), context)
  show(ended, test ? await findUncommitted(test, ended) : { warnings: [] }, context)
  if (ended.verdict === null) context.exitWith(exitCodes.noVerdict)
  else if (ended.verdict !== 'accepted') context.exitWith(exitCodes.no)
}

async function start(test: LocalTestFile, options: VerifyOptions, context: Context): Promise<string> {
  const { repository, filePath, code } = test
  const { target, suggestion, branch, commit, repeats, mutants, again } = options
  const client = await context.core()
  const { id: projectId } = await (options.project === undefined
    ? projectOfCheckout(client, repository)
    : resolveProject(client, options.project, context))
  const { id } = await client.tests.verify.mutate({
    projectId,
    filePath,
    code,
    target: target && { ...target, path: await pathInRepository(target.path, context) },
    suggestionId: suggestion,
    branch,
    commitSha: commit,
    repeats,
    mutants,
    again,
  })
  return id
}

async function follow(verificationId: string, { core, out, goesOn }: Context): Promise<Verification> {
  const client = await core()
  const startedAt = Date.now()
  goesOn(
    `The verification goes on at the server. Follow it: \`assay verify --id ${verificationId}\`; ` +
      'with --cancel, that ends it.',
  )
  out.milestone(`Waiting for verification ${verificationId}`)
  for (;;) {
    const record = await client.tests.getVerification.query({
      verificationId,
      waitSeconds: waitSeconds(startedAt, out.watched),
    })
    if (record.completedAt !== null) {
      goesOn(null)
      return record
    }
    const { phase, done, total } = record.progress ?? { phase: record.status, done: 0, total: 0 }
    out.milestone(`Verifying ${record.filePath}: ${phase}${total > 0 ? ` ${done} of ${total}` : ''}`)
  }
}

const looks: Record<Verdict, (text: string) => Part> = {
  accepted: green,
  no_gain: yellow,
  flaky: yellow,
  not_built: red,
  suspected_bug: red,
}

/** As docs/verification.md has it. */
const advice: Record<Verdict, string> = {
  accepted: 'Commit it.',
  no_gain: 'Assert what the unnoticed changes change, and verify again.',
  flaky: 'Take out time, chance, order and what it leaves behind, and verify again. Retrying is no cure.',
  not_built: 'Mend it as the output says, and verify again.',
  suspected_bug: 'Find out who is right, the code or the test. Keep the test until that is known.',
}

function show(record: Verification, uncommitted: Uncommitted, { out }: Context): void {
  const { id, filePath, verdict, evidence, commitSha, status, error, sameAs } = record
  out.answer(record, () => {
    if (verdict === null || !evidence) {
      out.line(red(status), `  ${filePath}  ${error ? `${error.code}: ${error.message}` : 'There is no verdict.'}`)
      out.hint('No verdict could be reached, through no fault of the test.')
      if (uncommitted.next) out.hint(uncommitted.next)
      return
    }
    out.line(looks[verdict](verdict), '  ', bold(filePath), `  ${evidence.summary}`)
    const { target, coverage, mutation, runs, durationMs, command } = evidence
    const failed = runs.filter(({ outcome }) => outcome !== 'passed').length
    out.facts([
      ['Target', target && [target.path, target.symbol].filter(Boolean).join(':')],
      ['Runs', `${runs.length}, of which ${failed} failed`],
      ['Newly run', coverage && newlyRun(coverage)],
      ['Mutants', mutation && `${mutation.killed} of ${mutation.tried} noticed, ${mutation.survived} survived`],
      ['Commit', commitSha],
      ['Took', sameAs === null ? duration(durationMs) : `nothing: it was measured as ${sameAs}`],
      ['Command', command],
      ['Id', id],
    ])
    for (const { path, line, original, replacement } of mutation?.survivors.slice(0, 5) ?? []) {
      out.line(dim('Unnoticed'), `  ${path}:${line}  ${original}  ->  ${replacement}`)
    }
    for (const { test, message, file, line, count } of differentFailures(runs).slice(0, 3)) {
      const place = file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`
      out.line(red('Failed'), `  ${test}${place}`, dim(`  in ${count} of ${runs.length} runs`))
      if (message) out.block(message)
    }
    if (verdict === 'not_built' && evidence.output) out.block(evidence.output)
    for (const warning of [...uncommitted.warnings, ...evidence.warnings]) out.hint(warning)
    const then = uncommitted.next && verdict === 'not_built' ? 'Then verify again.' : advice[verdict]
    out.line(bold('Next'), `  ${[uncommitted.next, then].filter(Boolean).join(' ')}`)
  })
}

/** What no test ran before. */
function newlyRun({ newTargetLines, newProjectLines, newProjectBranches, newTargetBranches }: CoverageGain): string {
  const branches = Math.max(newProjectBranches, newTargetBranches)
  const parts = [
    ...(newTargetLines === '' ? [] : [`line ${newTargetLines}`]),
    ...(newTargetLines === '' && newProjectLines > 0 ? [`${newProjectLines} lines of other files`] : []),
    ...(branches > 0 ? [branches === 1 ? '1 branch' : `${branches} branches`] : []),
  ]
  return parts.join(', ') || 'nothing'
}

/** A test that fails in the same words in every run fails once for whoever reads it. */
function differentFailures(runs: readonly VerificationRun[]): (FailedTest & { count: number })[] {
  const failures = runs.flatMap((run) => run.failures)
  const same = Map.groupBy(failures, ({ test, message, line }) => JSON.stringify([test, message, line]))
  return [...same.values()].flatMap((alike) =>
    alike.slice(0, 1).map((failure) => ({ ...failure, count: alike.length })),
  )
}

function readTarget(text: string): { path: string; symbol?: string } {
  const [, path, symbol] = /^(.+?)(?::([^:/\\]+))?$/.exec(text) ?? []
  if (!path) throw new InvalidArgumentError('It must be like src/cart.ts:Cart.total.')
  return { path, ...(symbol === undefined ? {} : { symbol }) }
}
