import type { Context } from '../base/context.ts'
import { loadCommitCoverage, measuredCommits } from '../coverage/measured.ts'
import { getOwnProject } from '../projects/get.ts'
import type { GetMeasuredCoverage, MeasuredCoverage } from './schema.ts'

/** Far more than the reports of large repositories come to; a client refuses longer answers. */
const maxCharacters = 16 * 1_048_576

/** Lists the commits with measured coverage, and the coverage of one of them. */
export async function getMeasuredCoverage(ctx: Context, input: GetMeasuredCoverage): Promise<MeasuredCoverage> {
  const { id } = await getOwnProject(ctx, input.projectId, 'viewer')
  if (input.commitSha === undefined) return { commits: await measuredCommits(ctx, id), files: [] }
  const { files } = await loadCommitCoverage(ctx, id, input.commitSha)
  let left = maxCharacters
  const end = files.findIndex((row) => (left -= row.join('').length + 12) < 0)
  return { commits: [input.commitSha], files: (end === -1 ? files : files.slice(0, end)).map((row) => [...row]) }
}
