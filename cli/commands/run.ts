import { type Command, InvalidArgumentError, Option } from 'commander'
import { type CoreClient, createCoreClient } from '../../client/core-client.ts'
import { newRequestId } from '../../client/request-id.ts'
import type { CommittedTree, SentSnapshot } from '../../client/snapshot.ts'
import { type TestRun, TestType } from '../../core/test-runs/schema.ts'
import { type Context, openContext } from '../context.ts'
import { writeDigest } from '../digest.ts'
import { exitCodes, wrongUsage } from '../failure.ts'
import { followRun } from '../follow-run.ts'
import { projectWords, readBudget, repeated } from '../options.ts'
import { bold, dim } from '../output.ts'
import { pathInRepository, resolveOrAddProject } from '../project.ts'
import { progressOf, refOf } from '../run-words.ts'
import { addIncludeOption, describeSnapshots, sentFacts } from '../snapshot.ts'
import { type CodeOptions, nameCode, wantedCode } from '../wanted-code.ts'

const types = TestType.options.map((type) => type.toLowerCase())
const cancelMs = 10_000

interface RunOptions extends CodeOptions {
  type?: TestType
  path?: string[]
  impacted?: boolean
  base?: string
  budget?: number
  rerunFailed?: string
  key?: string
  detach?: boolean
  quiet?: boolean
  cancelOnInterrupt?: boolean
}

export function addRun(program: Command): void {
  const run = program
    .command('run')
    .description(
      'run tests on the server, and show their log and the failures; in a checkout, those of its working tree, as a ' +
        'snapshot if it differs from the commits of the server',
    )
    .argument('[project]', projectWords)
    .option(
      '--branch <branch>',
      'run the newest commit of this branch (default outside of a checkout: that of the project)',
    )
    .option('--commit <id>', 'run this commit (full id)')
    .option('--head', 'run the commit of the current checkout, without uncommitted changes; it must be pushed')
    .addOption(new Option('--type <type>', `run only tests of this type: ${types.join(', ')}`).argParser(readType))
    .option<string[] | undefined>('--path <path>', 'run only this file or folder (repeatable)', repeated)
    .option('--impacted', 'run only the tests that can notice the change, and all where that is not certain')
    .option(
      '--base <ref>',
      'with --impacted: branch, tag or commit to compare with (default: the branch of the project)',
    )
    .option(
      '--budget <time>',
      'with --impacted: keep the most useful tests that fit into this time, such as 5m',
      readBudget,
    )
    .option('--rerun-failed <run>', 'run the failed tests of this run again, on the same commit')
    .option('--key <text>', 'idempotency key: a second start with the same key returns the same run')
    .option('-q, --quiet', 'do not show the log')
    .option('--detach', 'start the run, print its id and exit')
    .option('--cancel-on-interrupt', 'cancel the run on Ctrl-C (default: it continues on the server)')
  addIncludeOption(run).action(runTests)
}

async function runTests(wanted: string | undefined, options: RunOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { out, onInterrupt } = context
  const core = await context.core()
  const { run, sent } = await start(core, wanted, options, context)
  const facts = sentFacts(sent)
  const { id } = run
  onInterrupt(
    `The run continues on the server. Follow it with \`assay log ${id} --follow\`, or cancel it with \`assay cancel ${id}\`.`,
  )
  if (options.detach === true) {
    onInterrupt(null)
    out.answer({ ...run, ...facts }, () => {
      out.line(id)
      out.hint(`Follow it with \`assay log ${id} --follow\`. Then run \`assay failures ${id}\`.`)
    })
    return
  }
  if (options.cancelOnInterrupt === true) context.beforeExit(() => cancel(id, context))
  out.line(bold('Run '), id, dim(`  ${refOf(run, await describeSnapshots(core, [run]))}`))
  const status = await follow(core, run, options, context)
  onInterrupt(null)
  context.beforeExit(null)
  await report(core, id, status, facts, options, context)
}

interface Started {
  run: TestRun
  /** Absent for what is committed. */
  sent?: SentSnapshot | CommittedTree | undefined
}

async function start(
  core: CoreClient,
  wanted: string | undefined,
  options: RunOptions,
  context: Context,
): Promise<Started> {
  const { onInterrupt } = context
  const { rerunFailed, branch, commit, head, type, path: paths, key: idempotencyKey, include } = options
  const { impacted, base, budget } = options
  if (rerunFailed !== undefined) {
    const others = [wanted, branch, commit, head, type, paths, impacted, base, budget, idempotencyKey, include]
    if (others.some((given) => given !== undefined)) {
      throw wrongUsage(
        '--rerun-failed cannot be combined with a project, --branch, --commit, --head, --type, --path, --impacted, --base, --budget, --key or --include.',
      )
    }
    onInterrupt('Stopped. The run may have started already. Starting it again returns the same run.')
    return { run: await core.testRuns.rerunFailed.mutate({ runId: rerunFailed }) }
  }
  if (impacted !== true && (base !== undefined || budget !== undefined)) {
    throw wrongUsage('Give --base and --budget only with --impacted.')
  }
  if (impacted === true && paths !== undefined) throw wrongUsage('Give either --impacted or --path.')
  const code = await wantedCode(wanted, options, context)
  const { id: projectId } = await resolveOrAddProject(core, wanted, context)
  const { state, sent } = await nameCode(core, projectId, code, context)
  // In a checkout, paths are relative to the current folder.
  const inRepository =
    wanted === undefined && paths ? await Promise.all(paths.map((path) => pathInRepository(path, context))) : paths
  onInterrupt('Stopped. The run may have started already. Run `assay status` to see it.')
  const selected = impacted === true ? { selection: 'impacted' as const, base, budgetSeconds: budget } : {}
  const asked = { projectId, ...state, type, paths: inRepository, ...selected, idempotencyKey }
  return { run: await core.testRuns.trigger.mutate(asked), sent }
}

/** Shows the log as it arrives and returns the final status. */
async function follow(core: CoreClient, { id }: TestRun, { quiet }: RunOptions, context: Context) {
  const { out, signal } = context
  const credentials = await context.credentials()
  const onLost = () => out.progress('The connection was lost. Retrying …')
  for await (const event of followRun(core, { runId: id, from: 0, credentials, signal, onLost })) {
    if (event.event === 'status') out.progress(progressOf(event.data))
    else if (event.event === 'end') return event.data.status
    else if (quiet !== true) out.block(event.data.text)
  }
  throw new Error('the events of the run stopped before its end')
}

async function report(
  core: CoreClient,
  runId: string,
  status: TestRun['reportedStatus'],
  facts: ReturnType<typeof sentFacts>,
  { quiet }: RunOptions,
  { out, exitWith }: Context,
) {
  // A run that was cancelled, or failed itself, says nothing about the tests.
  exitWith(status === 'PASSED' ? exitCodes.good : status === 'FAILED' ? exitCodes.no : exitCodes.noVerdict)
  const failures = await core.testRuns.failures.query({ runId })
  out.answer({ ...failures, ...facts }, () => {
    out.line('')
    writeDigest(out, failures, { isLogShown: quiet !== true })
  })
}

/** Uses a client of its own, because the interruption aborts the calls of the other one. */
async function cancel(runId: string, { credentials, out }: Context): Promise<void> {
  try {
    const { baseUrl, token } = await credentials()
    const core = createCoreClient({ baseUrl, token, requestId: newRequestId(), timeoutMs: cancelMs })
    const { reportedStatus } = await core.testRuns.cancel.mutate({ runId })
    out.warn(reportedStatus === 'CANCELLED' ? 'The run was cancelled.' : `The run is ${reportedStatus.toLowerCase()}.`)
  } catch {
    out.warn(`The run could not be cancelled and continues. Try again: \`assay cancel ${runId}\`.`)
  }
}

function readType(text: string): TestType {
  const parsed = TestType.safeParse(text.toUpperCase())
  if (parsed.success) return parsed.data
  throw new InvalidArgumentError(`It must be one of ${types.join(', ')}.`)
}
