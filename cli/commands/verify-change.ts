import { type Command, Option } from 'commander'
import { adviceForChange, baseInWords, provisionalChangeLine } from '../../client/change-advice.ts'
import { changeDigest } from '../../client/change-words.ts'
import { resolveHead } from '../../client/committed-checkout.ts'
import { inWordsOf } from '../../client/procedure-names.ts'
import { changeProgress } from '../../client/progress.ts'
import { seemsDone, unsentCode, type UnsentCode } from '../../client/unsent-code.ts'
import type { Change } from '../../core/changes/schema.ts'
import type { ChangeIntent, ChangeVerdict } from '../../engines/verdicts/change/schema.ts'
import { type CommittedOptions, committedState } from '../committed.ts'
import type { Context } from '../context.ts'
import { exitCodes, wrongUsage } from '../failure.ts'
import { askPatiently, waitSeconds } from '../following.ts'
import { type ProjectOptions, readBudget } from '../options.ts'
import { bold, dim, green, type Output, type Part, red, yellow } from '../output.ts'
import { checkoutAt, isPath, resolveOrAddProject } from '../project.ts'
import { type IncludeOptions, sendCheckout, sentFacts } from '../snapshot.ts'
import { cancelledLine, duration, pageLine } from '../words.ts'

export interface ChangeOptions extends ProjectOptions, IncludeOptions, CommittedOptions {
  change?: boolean
  base?: string
  expect?: ChangeIntent
  same?: boolean
  budget?: number
  repeats?: number
  mutants?: number
  again?: boolean
  id?: string
  cancel?: boolean
  detach?: boolean
}

/** Adds the options of `assay verify` that are only for a change. */
export function addChangeOptions(verify: Command): Command {
  return verify
    .option('--change', 'decide whether the tests prove all changes of the checkout, instead of one test')
    .option('--base <ref>', 'branch, tag or commit where the change begins (default: where it left the default branch)')
    .addOption(
      new Option('--expect <intent>', 'with --change: `same` for a refactoring, which keeps the behavior').choices([
        'change',
        'same',
      ]),
    )
    .option('--same', 'short for --expect same')
    .addOption(
      new Option(
        '--budget <time>',
        'after this time, try no more mutants before a provisional verdict, such as 90s or 5m (default: 60s, with ' +
          '--change 90s); the comparison with the other tests can take longer',
      ).argParser(readBudget),
    )
    .option('--head', 'verify on the commit of the checkout, without uncommitted changes; it must be pushed')
}

const changeOnly = ['base', 'expect', 'same'] as const

/** Refuses options that belong to a change where a single test is verified. */
export function refuseChangeOptions(options: ChangeOptions): void {
  const misplaced = changeOnly.find((name) => options[name] !== undefined)
  if (misplaced !== undefined) throw wrongUsage(`--${misplaced} requires --change.`)
}

/** Verifies a change, or follows or cancels a verification that was started earlier. */
export async function verifyChange(options: ChangeOptions, context: Context): Promise<void> {
  const { id, cancel = false } = options
  const client = await context.core()
  if (cancel) {
    if (id === undefined) throw wrongUsage('--cancel requires the --id of a verification.')
    const cancelled = await client.changes.cancel.mutate({ changeId: id })
    context.out.answer(cancelled, () => context.out.line(cancelledLine('verification', cancelled)))
    return
  }
  const { changeId, url, sent }: Started = id === undefined ? await start(options, context) : { changeId: id }
  if (options.detach === true) {
    context.out.answer({ id: changeId, url, ...sentFacts(sent) }, () => {
      context.out.line(changeId)
      context.out.hint(`Follow it with \`assay verify --change --id ${changeId}\`.`)
    })
    return
  }
  const ended = await follow(changeId, context)
  const unsent = await unsentCode(sent?.leftOut ?? [], 'name it with --include')
  const branch = sent?.branch ?? null
  context.out.answer({ ...ended, ...sentFacts(sent) }, () => show(ended, { branch, unsent }, context.out))
  const { verdict } = ended
  if (verdict === null) context.exitWith(exitCodes.noVerdict)
  else if (!seemsDone(verdict) || unsent) context.exitWith(exitCodes.no)
}

interface Started {
  changeId: string
  /** Absent if the verification was started earlier. */
  url?: string
  /** Absent for what is committed. */
  sent?: Awaited<ReturnType<typeof sendCheckout>>
}

async function start(options: ChangeOptions, context: Context): Promise<Started> {
  const {
    base,
    same = false,
    budget: budgetSeconds,
    branch,
    commit,
    repeats,
    mutants,
    again,
    include,
    project,
  } = options
  if (same && options.expect === 'change') throw wrongUsage('--same cannot be combined with --expect change.')
  const expect = same ? 'same' : options.expect
  if (branch !== undefined && commit !== undefined) throw wrongUsage('Give only one of --branch and --commit.')
  const place = project !== undefined && isPath(project) ? project : '.'
  const committed = await committedState(options, place, context)
  const isElsewhere = project !== undefined && !isPath(project)
  const isCheckout = !committed && !isElsewhere
  if (include && !isCheckout) {
    throw wrongUsage('--include cannot be combined with --head, --branch, --commit or the id of a project.')
  }
  const client = await context.core()
  const { id: projectId } = await resolveOrAddProject(client, project, context)
  const how = { projectId, base, expect, budgetSeconds, repeats, mutants, again }
  context.onInterrupt('Stopped. The verification may have started already. Starting it again costs little.')
  if (!isCheckout) {
    const head = committed?.commitSha ?? committed?.branch
    const { id: changeId, url } = await client.changes.verify.mutate({ ...how, head })
    return { changeId, url }
  }
  const { root } = await checkoutAt(project ?? '.', context)
  const sent = await sendCheckout(client, { projectId, root, include }, context)
  const state = sent.snapshot ? { snapshotId: sent.snapshot.id } : { head: sent.headSha }
  const asked = { ...how, ...state, base: await resolveHead(root, base) }
  const { id: changeId, url } = await client.changes.verify.mutate(asked)
  return { changeId, url, sent }
}

/** Shows a provisional verdict as soon as there is one, once, and waits for the final one. */
async function follow(changeId: string, context: Context): Promise<Change> {
  const { out, onInterrupt } = context
  const client = await context.core()
  const startedAt = Date.now()
  onInterrupt(
    `The verification continues on the server. Follow it with \`assay verify --change --id ${changeId}\`, or add ` +
      '--cancel to cancel it.',
  )
  out.warn(`Waiting for verification ${changeId} of the change`)
  for (let final = out.json; ;) {
    const wait = waitSeconds(startedAt, out.watched)
    const change = await askPatiently(() => client.changes.get.query({ changeId, waitSeconds: wait, final }), context)
    if (change.completedAt !== null) {
      onInterrupt(null)
      return change
    }
    if (change.isProvisional && !final) {
      final = true
      out.warn(provisionalChangeLine(change))
    }
    out.milestone(`Verifying the change: ${changeProgress(change).message}`)
  }
}

const looks: Record<ChangeVerdict, (text: string) => Part> = {
  proved: green,
  no_code_changed: green,
  unproved: yellow,
  flaky: yellow,
  broken: red,
  not_built: red,
}

/** A terminal has more room than an agent's context. */
const maxBytes = 12_000

interface Shown {
  /** The branch of the checkout. */
  branch: string | null
  unsent: UnsentCode | undefined
}

function show(change: Change, { branch, unsent }: Shown, out: Output): void {
  const { id, url, verdict, evidence, status, error, headSha, snapshotId, sameAs } = change
  if (verdict === null || !evidence) {
    const [reason = '', ...output] = error ? error.message.split('\n') : ['No verdict was reached.']
    out.line(red(status))
    out.line(error ? `${error.code}: ${inWordsOf('commands', reason)}` : reason)
    if (output.length > 0) out.block(output.map((line) => `  ${line}`).join('\n'))
    out.line(bold('Next'), `  ${adviceFor(change)}`)
    out.line(dim(pageLine(url)))
    return
  }
  const digest = changeDigest(change, evidence, { maxBytes, audience: 'commands' })
  const { failing, missing, passWithoutChange, unproved, survivors, warnings, more } = digest
  const lacks = seemsDone(verdict) ? unsent : undefined
  out.line(lacks ? yellow(verdict) : looks[verdict](verdict), `  ${lacks ? `${lacks.sentence} ` : ''}${digest.summary}`)
  out.facts([
    ['Tests', digest.tests],
    ['Coverage', digest.coverage],
    ['Mutants', digest.mutants],
    ['Compared with', baseInWords(change, branch)],
    snapshotId === null ? ['Head', headSha] : ['Snapshot', snapshotId],
    ['Took', sameAs === null ? duration(evidence.durationMs) : `no time: the result is that of ${sameAs}`],
    ['Command', digest.command],
    ['Id', id],
  ])
  for (const { transition, test, place, cause } of failing) {
    out.line(red(labels[transition] ?? transition), `  ${test}`, dim(place === null ? '' : `  ${place}`))
    if (cause !== null) out.block(`  ${cause}`)
  }
  if (digest.output !== null) out.block(digest.output)
  for (const one of missing) out.line(yellow('Missing'), `  ${one}`)
  for (const test of passWithoutChange) out.line(yellow('Passes without the change'), `  ${test}`)
  for (const { place, cases, code } of unproved) {
    out.line(yellow('Not run'), `  ${place}`, dim(cases.length > 0 ? `  ${cases.join('; ')}` : ''))
    out.block(code.replaceAll(/^/gm, '    '))
  }
  for (const { place, original, replacement } of survivors) {
    out.line(dim('Survived'), `  ${place}  ${original}  ->  ${replacement}`)
  }
  if (more !== null) out.line(`${more}. \`--json\` has all of them.`)
  for (const warning of warnings) out.line(yellow('Warning'), `  ${warning}`)
  const next = lacks ? `Do not call the change done: ${lacks.sentence} ${lacks.advice}` : adviceFor(change)
  out.line(bold('Next'), `  ${next}`)
  out.line(dim(pageLine(url)))
}

const labels: Partial<Record<string, string>> = { broken: 'Broken', new_failing: 'Fails', flaky: 'Flaky' }

const adviceFor = (change: Change) =>
  adviceForChange(change, {
    wait: `Waiting for the final verdict.`,
    again: 'verify the change again',
    base: '--base',
    unpushed: 'leave out --head, --branch and --commit so that the working tree is sent',
  })
