import type { Command } from 'commander'
import type { CoreClient } from '../../client/core-client.ts'
import type { ReportedStatus, TestRun } from '../../core/test-runs/schema.ts'
import { openContext } from '../context.ts'
import { writeDigest } from '../digest.ts'
import { wrongUsage } from '../failure.ts'
import { addProjectOption, type ProjectOptions, projectWords } from '../options.ts'
import { dim } from '../output.ts'
import { resolveProject } from '../project.ts'
import { ago } from '../words.ts'
import { findRun } from './status.ts'

interface FailuresOptions extends ProjectOptions {
  branch?: string
  all?: boolean
}

/** What core gives at once. */
const mostCharacters = 50_000

export function addFailures(program: Command): void {
  const failures = program
    .command('failures')
    .description('show what failed in a run: where, since when, and how to run it again')
    .argument('[run|project]', `a run's id, or a project, of which the latest run counts: ${projectWords}`)
    .option('--branch <branch>', 'of a project the latest run of this branch')
    .option('--all', 'show more than the first few')
  addProjectOption(failures).action(show)
}

async function show(given: string | undefined, options: FailuresOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { out, core } = context
  const { branch, all } = options
  if (given !== undefined && options.project !== undefined) {
    throw wrongUsage('Give a run or a project, once: as argument or as --project.')
  }
  const client = await core()
  const maxCharacters = all === true ? mostCharacters : undefined
  const digestOf = (runId: string) => client.testRuns.failures.query({ runId, maxCharacters })
  const run = given === undefined ? undefined : await findRun(client, given)
  if (run) {
    if (branch !== undefined) throw wrongUsage('A run says its branch itself. Leave --branch out.')
    const digest = await digestOf(run.id)
    return out.answer(digest, () => writeDigest(out, digest))
  }
  const project = await resolveProject(client, given ?? options.project, context)
  const { latest, red } = await latestEnded(client, project.id, branch)
  if (!latest) {
    const where = branch === undefined ? '' : ` on ${branch}`
    return out.answer(null, () => out.line(`No run of ${project.name}${where} has ended.`))
  }
  const digest = await digestOf(latest.id)
  out.answer(digest, () => {
    out.line(dim(latest.reportedStatus === 'PASSED' ? 'The latest run passed:' : 'The latest run:'))
    writeDigest(out, digest)
    if (red && red !== latest) out.line(`The last that did not, ${ago(red.createdAt)}: \`assay failures ${red.id}\``)
  })
}

/** The latest run with a result, or that should have had one, and the latest of these that is red. */
async function latestEnded(core: CoreClient, projectId: string, branch: string | undefined) {
  const latestOf = async (status: ReportedStatus) =>
    (await core.testRuns.list.query({ projectId, branch, status, limit: 1 })).runs
  const [passed, failed, broken] = await Promise.all([latestOf('PASSED'), latestOf('FAILED'), latestOf('ERROR')])
  // Ids are in the order of time.
  const newest = (runs: TestRun[]) => runs.toSorted((a, b) => (a.id < b.id ? 1 : -1))[0]
  return { latest: newest([...passed, ...failed, ...broken]), red: newest([...failed, ...broken]) }
}
