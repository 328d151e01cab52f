import type { Command } from 'commander'
import type { CoreClient } from '../../client/core-client.ts'
import { openContext } from '../context.ts'
import { writeDigest } from '../digest.ts'
import { wrongUsage } from '../failure.ts'
import { addProjectOption, type ProjectOptions } from '../options.ts'
import { dim } from '../output.ts'
import { resolveProject } from '../project.ts'

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
    .argument('[run]', "a run's id (default: the project's latest run that failed)")
    .option('--branch <branch>', 'the latest that failed on this branch')
    .option('--all', 'show more than the first few')
  addProjectOption(failures).action(async (given: string | undefined, options: FailuresOptions, command: Command) => {
    const { out, core } = openContext(command)
    if (given !== undefined && (options.project !== undefined || options.branch !== undefined)) {
      throw wrongUsage('A run says its project and branch itself. Leave --project and --branch out.')
    }
    const client = await core()
    const runId = given ?? (await latestFailed(client, options))
    if (runId === undefined) {
      out.answer(null, () => out.line('No run has failed.'))
      return
    }
    const maxCharacters = options.all === true ? mostCharacters : undefined
    const digest = await client.testRuns.failures.query({ runId, maxCharacters })
    out.answer(digest, () => {
      if (given === undefined) out.line(dim('The latest run that failed:'))
      writeDigest(out, digest)
    })
  })
}

async function latestFailed(core: CoreClient, { project, branch }: FailuresOptions): Promise<string | undefined> {
  const { id: projectId } = await resolveProject(core, project)
  const { runs } = await core.testRuns.list.query({ projectId, branch, status: 'FAILED', limit: 1 })
  return runs[0]?.id
}
