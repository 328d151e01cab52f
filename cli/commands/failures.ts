import type { Command } from 'commander'
import { latestEnded } from '../../client/latest-run.ts'
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

/** The limit of core. */
const maxDigestCharacters = 50_000

export function addFailures(program: Command): void {
  const failures = program
    .command('failures')
    .description('show the failures of a run: where they are, since when, and how to run them again')
    .argument('[run|project]', `id of a run, or a project for its latest run: ${projectWords}`)
    .option('--branch <branch>', 'use the latest run of this branch')
    .option('--all', 'show as many failures as the server returns at once')
  addProjectOption(failures).action(show)
}

async function show(given: string | undefined, options: FailuresOptions, command: Command): Promise<void> {
  const context = openContext(command)
  const { out, core } = context
  const { branch, all } = options
  if (given !== undefined && options.project !== undefined) {
    throw wrongUsage('Give a run or a project either as an argument or as --project, not both.')
  }
  const client = await core()
  const maxCharacters = all === true ? maxDigestCharacters : undefined
  const digestOf = (runId: string) => client.testRuns.failures.query({ runId, maxCharacters })
  const run = given === undefined ? undefined : await findRun(client, given)
  if (run) {
    if (branch !== undefined) throw wrongUsage('--branch cannot be combined with a run.')
    const digest = await digestOf(run.id)
    return out.answer(digest, () => writeDigest(out, digest))
  }
  const project = await resolveProject(client, given ?? options.project, context, { orRun: given !== undefined })
  const { latest, failed } = await latestEnded(client, project.id, branch)
  if (!latest) {
    const where = branch === undefined ? '' : ` on ${branch}`
    return out.answer(null, () => out.line(`No run of ${project.name}${where} has ended.`))
  }
  const digest = await digestOf(latest.id)
  out.answer(digest, () => {
    out.line(dim(latest.reportedStatus === 'PASSED' ? 'The latest run passed:' : 'The latest run:'))
    writeDigest(out, digest)
    if (failed && failed !== latest)
      out.line(`The last run that failed, ${ago(failed.createdAt)}: \`assay failures ${failed.id}\``)
  })
}
