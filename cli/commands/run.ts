import { randomUUID } from 'node:crypto'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type CoreClient, createCoreClient } from '../../client/core-client.ts'
import { listed } from '../../client/uncommitted.ts'
import { type TestRun, TestType } from '../../core/test-runs/schema.ts'
import { findChanges, readHead } from '../checkout.ts'
import { type Context, openContext } from '../context.ts'
import { writeDigest } from '../digest.ts'
import { exitCodes, wrongUsage } from '../failure.ts'
import { followRun } from '../follow-run.ts'
import { projectWords, repeated } from '../options.ts'
import { bold, dim } from '../output.ts'
import { checkoutAt, isPath, pathInRepository, resolveProject } from '../project.ts'
import { progressOf, refOf } from '../run-words.ts'

const types = TestType.options.map((type) => type.toLowerCase())
const cancelMs = 10_000

interface RunOptions {
  branch?: string
  commit?: string
  head?: boolean
  type?: TestType
  path?: string[]
  rerunFailed?: string
  key?: string
  detach?: boolean
  quiet?: boolean
  cancelOnInterrupt?: boolean
}

export function addRun(program: Command): void {
  program
    .command('run')
    .description('run tests on the server, and show their log and the failures')
    .argument('[project]', projectWords)
    .option('--branch <branch>', 'run the newest commit of this branch (default: branch of the project)')
    .option('--commit <id>', 'run this commit (full id)')
    .option('--head', 'run the commit of the current checkout, which must be pushed')
    .addOption(new Option('--type <type>', `run only tests of this type: ${types.join(', ')}`).argParser(readType))
    .option<string[] | undefined>('--path <path>', 'run only this file or folder (repeatable)', repeated)
    .option('--rerun-failed <run>', 'run the failed tests of this run again, on the same commit')
    .option('--key <text>', 'idempotency key: a second start with the same key returns the same run')
    .option('-q, --quiet', 'do not show the log')
    .option('--detach', 'start the run, print its id and exit')
    .option('--cancel-on-interrupt', 'cancel the run on Ctrl-C (default: it continues on the server)')
    .action(runTests)
}

async function runTests(wanted: string | undefined, options: RunOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { out, onInterrupt } = context
  const core = await context.core()
  const run = await start(core, wanted, options, context)
  const { id } = run
  onInterrupt(
    `The run continues on the server. Follow it with \`assay log ${id} --follow\`, or cancel it with \`assay cancel ${id}\`.`,
  )
  if (options.detach === true) {
    onInterrupt(null)
    out.answer(run, () => {
      out.line(id)
      out.hint(`Follow it with \`assay log ${id} --follow\`. Then run \`assay failures ${id}\`.`)
    })
    return
  }
  if (options.cancelOnInterrupt === true) context.beforeExit(() => cancel(id, context))
  out.line(bold('Run '), id, dim(`  ${refOf(run)}`))
  const status = await follow(core, run, options, context)
  onInterrupt(null)
  context.beforeExit(null)
  await report(core, id, status, options, context)
}

async function start(
  core: CoreClient,
  wanted: string | undefined,
  options: RunOptions,
  context: Context,
): Promise<TestRun> {
  const { onInterrupt } = context
  const { rerunFailed, branch, commit, head, type, path: paths, key: idempotencyKey } = options
  if (rerunFailed !== undefined) {
    if ([wanted, branch, commit, head, type, paths, idempotencyKey].some((given) => given !== undefined)) {
      throw wrongUsage(
        '--rerun-failed cannot be combined with a project, --branch, --commit, --head, --type, --path or --key.',
      )
    }
    onInterrupt('Stopped. The run may have started already. Starting it again returns the same run.')
    return core.testRuns.rerunFailed.mutate({ runId: rerunFailed })
  }
  if (head === true && (branch !== undefined || commit !== undefined)) {
    throw wrongUsage('--head cannot be combined with --branch or --commit.')
  }
  const { id: projectId } = await resolveProject(core, wanted, context)
  const place = head === true ? await headOf(wanted, context) : { branch, commitSha: commit }
  // In a checkout, paths are relative to the current folder.
  const inRepository =
    wanted === undefined && paths ? await Promise.all(paths.map((path) => pathInRepository(path, context))) : paths
  onInterrupt('Stopped. The run may have started already. Run `assay status` to see it.')
  const asked = { projectId, ...place, type, paths: inRepository, idempotencyKey }
  const run = await core.testRuns.trigger.mutate(asked)
  if (wanted === undefined && head !== true && branch === undefined && commit === undefined) {
    await warnOfOtherCode(run, context)
  }
  return run
}

/** A user with local changes may think that the run tests them. */
async function warnOfOtherCode({ branch }: TestRun, context: Context): Promise<void> {
  const { root } = await checkoutAt('.', context)
  const head = await readHead(root)
  if (!head) return
  const { tracked, untracked } = await findChanges(root, head)
  if (head.branch === branch && tracked.length + untracked.length === 0) return
  context.out.warn(
    `The run tests ${branch ?? 'the branch'} as it was pushed, not this checkout. Use --head to test the commit of this checkout.`,
  )
}

async function headOf(wanted: string | undefined, context: Context) {
  const { root } = await checkoutAt(wanted !== undefined && isPath(wanted) ? wanted : '.', context)
  const head = await readHead(root)
  if (!head) throw wrongUsage(`${root} has no commits.`)
  const { tracked, untracked } = await findChanges(root, head)
  if (tracked.length > 0) {
    throw wrongUsage(
      `${listed(tracked)} in ${root} ${tracked.length === 1 ? 'has' : 'have'} changes that are not committed, so the ` +
        'run would not test them. Commit and push them, or stash them.',
    )
  }
  // No run of a commit can see these, and most are notes, reports or builds.
  if (untracked.length > 0) {
    context.out.warn(
      `Not part of the commit, so the run does not see ${untracked.length === 1 ? 'it' : 'them'}: ${listed(untracked)}.`,
    )
  }
  return { branch: head.branch ?? undefined, commitSha: head.commitSha }
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
  { quiet }: RunOptions,
  { out, exitWith }: Context,
) {
  // A run that was cancelled, or failed itself, says nothing about the tests.
  exitWith(status === 'PASSED' ? exitCodes.good : status === 'FAILED' ? exitCodes.no : exitCodes.noVerdict)
  const failures = await core.testRuns.failures.query({ runId })
  out.answer(failures, () => {
    out.line('')
    writeDigest(out, failures, { isLogShown: quiet !== true })
  })
}

/** Uses a client of its own, because the interruption aborts the calls of the other one. */
async function cancel(runId: string, { credentials, out }: Context): Promise<void> {
  try {
    const { baseUrl, token } = await credentials()
    const core = createCoreClient({ baseUrl, token, requestId: randomUUID(), timeoutMs: cancelMs })
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
