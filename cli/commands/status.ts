import { type Command, Option } from 'commander'
import { type CoreClient, isRefusal } from '../../client/core-client.ts'
import { ListRuns, type TestRunDetail } from '../../core/test-runs/schema.ts'
import { type Context, openContext } from '../context.ts'
import { addPageOptions, type PageOptions, projectWords } from '../options.ts'
import { bold, dim, yellow } from '../output.ts'
import { resolveProject } from '../project.ts'
import { runCoverageWords } from '../../client/run-coverage-words.ts'
import { countsOf, progressOf, refOf, startedBy, statusPart, timeOf } from '../run-words.ts'
import { describeSnapshots } from '../snapshot.ts'
import { countUnfinished, unfinishedInWords } from '../unfinished.ts'
import { ago, pageLine } from '../words.ts'

const statuses = ListRuns.shape.status.unwrap().options

interface StatusOptions extends PageOptions {
  branch?: string
  status?: (typeof statuses)[number]
}

export function addStatus(program: Command): void {
  const status = program
    .command('status')
    .description('show a run, or the latest runs of a project and what else is at work there')
    .argument('[run|project]', `id of a run, or a project: ${projectWords}`)
    .option('--branch <branch>', 'list only runs of this branch')
    .addOption(new Option('--status <status>', 'list only runs with this status').choices(statuses))
  addPageOptions(status, 10).action(async (wanted: string | undefined, options: StatusOptions, command: Command) => {
    const context = openContext(command)
    const core = await context.core()
    const run = wanted === undefined ? undefined : await findRun(core, wanted)
    if (run) showRun(run, await describeSnapshots(core, [run]), context)
    else await showRuns(core, wanted, options, context)
  })
}

/** Returns undefined where the user has no such run: the text may name a project. */
export async function findRun(core: CoreClient, wanted: string): Promise<TestRunDetail | undefined> {
  if (!/^[0-9A-HJKMNP-TV-Z]{26}$/i.test(wanted)) return undefined
  try {
    return await core.testRuns.get.query({ runId: wanted })
  } catch (error) {
    if (isRefusal(error, 'NOT_FOUND')) return undefined
    throw error
  }
}

function showRun(run: TestRunDetail, snapshots: ReadonlyMap<string, string>, { out }: Context): void {
  out.answer(run, () => {
    out.line(statusPart(run.reportedStatus), '  ', bold(run.id), dim(`  ${refOf(run, snapshots)}`))
    const covered = runCoverageWords(run)
    const steps = run.plan?.flatMap((part) => part.steps.map(({ command }) => command)) ?? []
    out.facts([
      ['Progress', progressOf({ ...run, status: run.reportedStatus }) || null],
      ['Tests', run.totalTests > 0 ? countsOf(run) : null],
      ['Coverage', covered?.summary ?? null],
      ['Least covered', covered?.worst ?? null],
      ['Duration', timeOf(run.duration)],
      ['Started', run.startedAt],
      ['Started by', startedBy[run.source] ?? run.source],
      ['Rerun of', run.rerunOf],
      ['Snapshot', run.snapshotId],
      ['Executor', run.executor],
      ['Commands', steps.length > 0 ? steps.join('; ') : null],
    ])
    if (run.error) out.line(statusPart('ERROR'), `  ${run.error.code}: ${run.error.message}`)
    for (const warning of run.warnings) out.line(yellow(`! ${warning}`))
    out.line(dim(pageLine(run.url)))
    out.hint(nextOf(run))
  })
}

function nextOf({ id, completedAt, failedTests, error }: TestRunDetail): string {
  if (completedAt === null) return `Follow it: run \`assay log ${id} --follow\`.`
  return failedTests > 0 || error
    ? `Run \`assay failures ${id}\` to see the failures.`
    : `Run \`assay log ${id}\` to see the log.`
}

async function showRuns(
  core: CoreClient,
  wanted: string | undefined,
  { branch, status, limit, offset }: StatusOptions,
  context: Context,
): Promise<void> {
  const { out } = context
  const { id: projectId, name } = await resolveProject(core, wanted, context, { orRun: true })
  const [page, unfinished] = await Promise.all([
    core.testRuns.list.query({ projectId, branch, status, limit, offset }),
    countUnfinished(core, projectId),
  ])
  const snapshots = await describeSnapshots(core, page.runs)
  const others = unfinishedInWords(unfinished)
  out.answer({ ...page, unfinished }, () => {
    const isQuiet = others === null && page.runs.every(({ completedAt }) => completedAt !== null)
    if (others !== null) out.warn(`${others}.`)
    else if (isQuiet && (branch ?? status) === undefined) out.warn(`Nothing is running or waiting in ${name}.`)
    out.table(
      ['RUN', 'STATUS', 'PASSED', 'COMMIT', 'STARTED BY', 'WHEN', 'COVERAGE'],
      page.runs.map((run) => [
        run.id,
        statusPart(run.reportedStatus),
        `${run.passedTests}/${run.totalTests}`,
        refOf(run, snapshots),
        startedBy[run.source] ?? run.source,
        out.isTerminal ? ago(run.createdAt) : run.createdAt,
        runCoverageWords(run)?.summary ?? '-',
      ]),
    )
    out.pageEnd(page.runs.length, { total: page.pagination.total, offset })
    if (page.pagination.total > 0) return
    const start = `\`assay run${wanted === undefined ? '' : ` ${projectId}`}\``
    out.hint((branch ?? status) === undefined ? `${name} has no runs. Start one: ${start}` : `${name} has no such run.`)
  })
}
