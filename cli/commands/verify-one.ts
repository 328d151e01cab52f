import { resolve } from 'node:path'
import type { CoreClient } from '../../client/core-client.ts'
import { type LocalTestFile, readLocalTestFile } from '../../client/local-test-file.ts'
import { inWordsOf } from '../../client/procedure-names.ts'
import { verificationProgress } from '../../client/progress.ts'
import { adviceFor, differentFailures, keepLocal, noVerdict, provisionalLine } from '../../client/verification-words.ts'
import { findUncommitted, type Uncommitted } from '../../client/uncommitted.ts'
import type { CommittedTree, SentSnapshot } from '../../client/snapshot.ts'
import type { Verification } from '../../core/verifications/schema.ts'
import type { DependenceKind } from '../../engines/verdicts/dependences/schema.ts'
import { mutantsInWords } from '../../engines/verdicts/mutation-result.ts'
import type { CoverageGain, Evidence, Verdict } from '../../engines/verdicts/schema.ts'
import type { Context } from '../context.ts'
import { committedState } from '../committed.ts'
import { exitCodes, wrongUsage } from '../failure.ts'
import { askPatiently, waitSeconds } from '../following.ts'
import { bold, dim, green, type Part, red, yellow } from '../output.ts'
import { pathInRepository, requireProjectFor, resolveProject } from '../project.ts'
import { sendCheckout, sentFacts, stateOf } from '../snapshot.ts'
import { duration, pageLine } from '../words.ts'
import type { ChangeOptions } from './verify-change.ts'

export interface VerifyOptions extends ChangeOptions {
  target?: { path: string; symbol?: string }
  suggestion?: string
  detach?: boolean
}

/** Verifies one test file of a checkout. */
export async function verifyFile(file: string, options: VerifyOptions, context: Context): Promise<void> {
  const { out } = context
  const test = await readLocalTestFile(resolve(context.cwd, file))
  const { verificationId, url, sent } = await start(test, options, context)
  if (options.detach === true) {
    out.answer({ id: verificationId, url, ...sentFacts(sent) }, () => {
      out.line(verificationId)
      out.hint(`Follow it with \`assay verify --id ${verificationId}\`.`)
    })
    return
  }
  const ended = await followVerification(verificationId, ` of ${test.filePath}`, context)
  // A snapshot has all that the test needs, and the test itself as HEAD has it.
  const commitSha = sent?.snapshot ? sent.headSha : ended.commitSha
  const uncommitted = await findUncommitted(test, { ...ended, commitSha })
  const { isCommitted } = uncommitted
  conclude(ended, sent?.snapshot ? { warnings: [], ...(isCommitted && { isCommitted }) } : uncommitted, sent, context)
}

/** Follows a verification that was started earlier. */
export async function followById(id: string, context: Context): Promise<void> {
  conclude(await followVerification(id, '', context), { warnings: [] }, undefined, context)
}

function conclude(ended: Verification, uncommitted: Uncommitted, sent: Started['sent'], context: Context): void {
  show(ended, uncommitted, sent, context)
  if (ended.verdict === null) context.exitWith(exitCodes.noVerdict)
  else if (ended.verdict !== 'accepted') context.exitWith(exitCodes.no)
}

interface Started {
  verificationId: string
  url: string
  /** Absent for what is committed. */
  sent?: SentSnapshot | CommittedTree
}

async function start(test: LocalTestFile, options: VerifyOptions, context: Context): Promise<Started> {
  const { filePath, code } = test
  const { target, suggestion, repeats, mutants, again, budget: budgetSeconds } = options
  const client = await context.core()
  const { projectId, state, sent } = await wantedState(client, { ...test, except: [filePath] }, options, context)
  const { id, url } = await client.tests.verify.mutate({
    projectId,
    filePath,
    code,
    target: target && { ...target, path: await pathInRepository(target.path, context) },
    suggestionId: suggestion,
    ...state,
    repeats,
    mutants,
    again,
    budgetSeconds,
  })
  return { verificationId: id, url, ...(sent && { sent }) }
}

/**
 * Finds the project, and the code that tests run on. Sends the working tree unless the options name something committed.
 *
 * @param except - the tests: each is judged against the one that is committed, or as a new one
 */
export async function wantedState(
  client: CoreClient,
  { repository, except }: Pick<LocalTestFile, 'repository'> & { except: readonly string[] },
  options: VerifyOptions,
  context: Context,
) {
  const { include, project } = options
  const { root } = repository
  const committed = await committedState(options, root, context)
  const isCheckout = project === undefined && !committed
  if (include && !isCheckout) {
    throw wrongUsage('--include cannot be combined with --head, --branch, --commit or --project.')
  }
  const { id: projectId } = await (project === undefined
    ? requireProjectFor(client, repository, context)
    : resolveProject(client, project, context))
  const sent = isCheckout ? await sendCheckout(client, { projectId, root, include, except }, context) : undefined
  return { projectId, state: sent ? stateOf(sent) : (committed ?? {}), sent }
}

/** @param of - names the test, if it is known */
async function followVerification(verificationId: string, of: string, context: Context): Promise<Verification> {
  const { out, onInterrupt } = context
  const client = await context.core()
  const startedAt = Date.now()
  onInterrupt(
    `The verification continues on the server. Follow it with \`assay verify --id ${verificationId}\`, or add ` +
      '--cancel to cancel it.',
  )
  out.warn(`Waiting for verification ${verificationId}${of}`)
  for (let isShown = out.json; ;) {
    const wait = waitSeconds(startedAt, out.watched)
    const record = await askPatiently(
      () => client.tests.getVerification.query({ verificationId, waitSeconds: wait, final: isShown }),
      context,
    )
    if (record.completedAt !== null) {
      onInterrupt(null)
      return record
    }
    if (record.isProvisional && !isShown) {
      isShown = true
      out.warn(provisionalLine(record))
    }
    out.milestone(`Verifying ${record.filePath}: ${verificationProgress(record).message}`)
  }
}

export const looks: Record<Verdict, (text: string) => Part> = {
  accepted: green,
  no_gain: yellow,
  flaky: yellow,
  not_built: red,
  suspected_bug: red,
}

function show(record: Verification, uncommitted: Uncommitted, sent: Started['sent'], { out }: Context): void {
  const { id, url, filePath, verdict, evidence, commitSha, snapshotId, status, error, sameAs } = record
  out.answer({ ...record, ...sentFacts(sent) }, () => {
    if (verdict === null || !evidence) {
      out.line(red(status), `  ${filePath}`)
      // The output of a failed command follows the first line.
      const [reason = '', ...output] = error ? error.message.split('\n') : ['No verdict was reached.']
      out.line(error ? `${error.code}: ${inWordsOf('commands', reason)}` : reason)
      if (output.length > 0) out.block(output.map((line) => `  ${line}`).join('\n'))
      out.line(dim(pageLine(url)))
      out.hint(noVerdict)
      if (uncommitted.next) out.hint(uncommitted.next)
      return
    }
    out.line(looks[verdict](verdict), '  ', bold(filePath), `  ${inWordsOf('commands', evidence.summary)}`)
    const { target, coverage, mutation, runs, durationMs, command } = evidence
    out.facts([
      ['Target', target && [target.path, target.symbol].filter(Boolean).join(':')],
      ['Runs', runsInWords(evidence)],
      ['New coverage', coverage && newlyRun(coverage)],
      ['Mutants', mutation && mutantsInWords(mutation)],
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
    for (const warning of [...uncommitted.warnings, ...evidence.warnings]) {
      out.line(yellow('Warning'), `  ${inWordsOf('commands', warning)}`)
    }
    const keep = keepLocal(record, uncommitted.isCommitted)
    const advice = adviceFor(record, { keep, again: 'verify it again', target: '--target' })
    const then = uncommitted.next && verdict === 'not_built' ? 'Then verify again.' : advice
    out.line(bold('Next'), `  ${[uncommitted.next, then].filter(Boolean).join(' ')}`)
    out.line(dim(pageLine(url)))
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

function runsInWords({ runs, dependsOn }: Evidence): string {
  const failed = runs.filter(({ outcome }) => outcome !== 'passed').length
  return `${runs.length}, of which ${failed} failed${dependsOn ? whyRepeated(dependsOn) : ''}`
}

/** Says why so many runs were needed. */
function whyRepeated([first, ...others]: NonNullable<Evidence['dependsOn']>): string {
  if (!first) return '; more are not needed, because the test depends on nothing but the code'
  const { kind, what, path, line } = first
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  return `; the result can depend on ${dependenceNames[kind]}: ${what} (${path}:${line})${more}`
}

const dependenceNames: Record<DependenceKind, string> = {
  time: 'the time',
  chance: 'chance',
  outside: 'files, the network or the environment',
  shared_state: 'shared state',
  unknown: 'code that Assay does not read',
}
