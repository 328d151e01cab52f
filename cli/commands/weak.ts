import { type Command, InvalidArgumentError, Option } from 'commander'
import { resolveHead } from '../../client/committed-checkout.ts'
import { requireMeasurable } from '../../client/measured-code.ts'
import type { CommittedTree, SentSnapshot } from '../../client/snapshot.ts'
import { ListMeasurements } from '../../core/strength/schema.ts'
import { isGlob } from '../../engines/source/glob.ts'
import { addCommittedOptions, type CommittedOptions, committedState } from '../committed.ts'
import { type Context, openContext } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { followMeasurement, showSurvivor } from '../follow-strength.ts'
import {
  addPageOptions,
  addProjectOption,
  type PageOptions,
  type ProjectOptions,
  readBudget,
  separateOptions,
} from '../options.ts'
import { existsAt, resolveOrAddProject, resolveProject, shown } from '../project.ts'
import { pathsOfCheckout, scopeOf } from '../scoped-target.ts'
import { addIncludeOption, type IncludeOptions, sendCheckout, sentFacts, stateOf } from '../snapshot.ts'
import { showResult } from '../strength-report.ts'
import { ago } from '../words.ts'

interface GateOptions {
  min?: number
}

interface WeakOptions extends ProjectOptions, IncludeOptions, CommittedOptions, GateOptions {
  since?: string
  budget?: number
  again?: boolean
  detach?: boolean
}

export function addWeak(program: Command): void {
  const weak = program
    .command('weak')
    .description(
      'find small changes of the code that no test notices, and measure which share of them tests notice; in a checkout, ' +
        'of its working tree, as a snapshot if it differs from the commits of the server',
    )
    .usage('[paths...] [options]\n       assay weak [list|show|cancel] [options]')
    .argument('[paths...]', 'files, folders and globs of code (default: all)')
    .option('--since <reference>', 'only files that changed since this branch, tag or commit, changed lines first')
    .addOption(
      new Option(
        '--budget <time>',
        'time for trying changes, after dependencies are installed, such as 90s or 5m (default: 120s)',
      ).argParser(readBudget),
    )
    .option('--again', 'try changes again whose results are known from earlier measurements')
    .option('--detach', 'start the measurement, print its id and exit')
  addMinOption(addIncludeOption(addProjectOption(addCommittedOptions(weak)))).action(measure)

  const list = weak.command('list').description('list measurements, newest first')
  addProjectOption(addPageOptions(list))
    .addOption(
      new Option('--status <status>', 'list only measurements with this status').choices(
        ListMeasurements.shape.status.unwrap().options,
      ),
    )
    .action(listMeasurements)
  const show = weak
    .command('show')
    .description('show a measurement, with what is known so far')
    .argument('<id>', 'id from `assay weak`')
    .option('--follow', 'wait for its end')
  addMinOption(show).action(showMeasurement)
  weak
    .command('cancel')
    .description('cancel a measurement, which keeps what it has found')
    .argument('<id>', 'id from `assay weak`')
    .action(cancelMeasurement)
  separateOptions(weak, program)
}

const addMinOption = (command: Command) =>
  command.addOption(
    new Option('--min <percent>', 'exit with code 1 if the strength is certainly below this').argParser(readPercent),
  )

async function measure(given: string[], options: WeakOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { out, onInterrupt } = context
  const { id, sent } = await start(given, options, context)
  if (options.detach === true) {
    onInterrupt(null)
    const measurement = await (await context.core()).strength.get.query({ measurementId: id })
    out.answer({ ...measurement, ...sentFacts(sent) }, () => {
      out.line(id)
      out.hint(`Follow it with \`assay weak show ${id} --follow\`.`)
    })
    return
  }
  // The JSON document comes at the end.
  if (out.json) out.warn(`Measurement ${id}`)
  else out.line(`Measurement ${id}`)
  const ended = await followMeasurement(id, context)
  showResult(ended, { min: options.min, facts: sentFacts(sent) }, context)
}

interface Started {
  id: string
  /** Absent for what is committed. */
  sent?: SentSnapshot | CommittedTree
}

async function start(given: string[], options: WeakOptions, context: Context): Promise<Started> {
  const { project, since, budget: budgetSeconds, again, include, branch, commit } = options
  const { onInterrupt } = context
  if (branch !== undefined && commit !== undefined) throw wrongUsage('Give only one of --branch and --commit.')
  const committed = await committedState(options, '.', context)
  const isCheckout = project === undefined && !committed
  if (include && !isCheckout) {
    throw wrongUsage('--include cannot be combined with --head, --branch, --commit or --project.')
  }
  // The paths of another project are those of its repository.
  const local = project === undefined ? await pathsOfCheckout(given, context) : undefined
  const scope = scopeOf({ since }, local?.paths ?? given)
  const root = local?.repository.root ?? ''
  if (isCheckout && local) await requireExisting(local, root)
  if (isCheckout)
    await requireMeasurable(root, { paths: scope?.paths, since }, { paths: 'The paths', since: '--since' })
  const client = await context.core()
  const { id: projectId } = await resolveOrAddProject(client, project ?? (local && root), context)
  onInterrupt('Stopped. The measurement may have started already. Run `assay weak list` to see it.')
  const how = { projectId, paths: scope?.paths, budgetSeconds, again }
  if (!isCheckout) return client.strength.measure.mutate({ ...how, ...committed, since })
  const sent = await sendCheckout(client, { projectId, root, include }, context)
  const state = { ...stateOf(sent), since: await resolveHead(root, since) }
  return { id: (await client.strength.measure.mutate({ ...how, ...state })).id, sent }
}

/** A misspelt path, or a misspelt subcommand, would otherwise fail minutes later on the server. */
async function requireExisting(
  { paths, typed }: { paths: readonly string[]; typed: readonly string[] },
  root: string,
): Promise<void> {
  for (const [index, path] of paths.entries()) {
    if (!isGlob(path) && !(await existsAt(root, path)))
      throw wrongUsage(`${shown(typed[index] ?? path)} does not exist.`)
  }
}

type ListOptions = PageOptions & ProjectOptions & Pick<ListMeasurements, 'status'>

async function listMeasurements(_options: unknown, command: Command): Promise<void> {
  const context = openContext(command)
  const { out } = context
  const { limit, offset, project, status } = command.optsWithGlobals<ListOptions>()
  const core = await context.core()
  const { id: projectId } = await resolveProject(core, project, context)
  const page = await core.strength.list.query({ projectId, limit, offset, status })
  out.answer(page, () => {
    out.table(
      ['ID', 'STATUS', 'CODE', 'LIMITED TO', 'WHEN', 'RESULT'],
      page.measurements.map((one) => [
        one.id,
        one.verdict === 'partial' && one.status === 'completed' ? 'partial' : one.status,
        one.snapshotId === null ? (one.commitSha?.slice(0, 10) ?? one.branch ?? '-') : 'snapshot',
        shown([...one.paths, ...(one.since === null ? [] : [`since ${one.since}`])].join(' ') || '-'),
        out.isTerminal ? ago(one.createdAt) : one.createdAt,
        one.error?.code ?? one.summary ?? '-',
      ]),
    )
    out.pageEnd(page.measurements.length, { total: page.pagination.total, offset })
    if (page.pagination.total === 0) out.hint('The project has no measurements. Start one: `assay weak`.')
  })
}

async function showMeasurement(
  measurementId: string,
  { follow = false }: { follow?: boolean },
  command: Command,
): Promise<void> {
  const context = openContext(command)
  const { min } = command.optsWithGlobals<GateOptions>()
  if (follow) return showResult(await followMeasurement(measurementId, context), { min }, context)
  const measurement = await (await context.core()).strength.get.query({ measurementId })
  for (const survivor of measurement.evidence?.survivors ?? []) showSurvivor(survivor, context.out)
  showResult(measurement, { min }, context)
}

async function cancelMeasurement(measurementId: string, _options: unknown, command: Command): Promise<void> {
  const { out, core } = openContext(command)
  const measurement = await (await core()).strength.cancel.mutate({ measurementId })
  out.answer(measurement, () => {
    if (measurement.status !== 'cancelled') {
      out.line(`The measurement ${measurement.id} has already ${measurement.status}.`)
      return
    }
    out.line(`The measurement ${measurement.id} is cancelled.`)
    if ((measurement.evidence?.tried ?? 0) > 0)
      out.hint(`\`assay weak show ${measurement.id}\` shows what it has found.`)
  })
}

function readPercent(text: string): number {
  const percent = /^\d{1,3}(?:\.\d{1,2})?$/.test(text) ? Number(text) : Number.NaN
  if (percent >= 0 && percent <= 100) return percent
  throw new InvalidArgumentError('It must be a number from 0 to 100.')
}
