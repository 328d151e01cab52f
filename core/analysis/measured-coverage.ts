import type { Context } from '../base/context.ts'
import { loadCommitCoverage, measuredCommits } from '../coverage/measured.ts'
import { getOwnProject } from '../projects/get.ts'
import type { GetMeasuredCoverage, MeasuredCoverage } from './schema.ts'

/** Clients refuse longer answers. */
const maxCharacters = 16 * 1_048_576

/** Lists the commits with measured coverage, and the coverage of one of them. */
export async function getMeasuredCoverage(ctx: Context, input: GetMeasuredCoverage): Promise<MeasuredCoverage> {
  const { id } = await getOwnProject(ctx, input.projectId, 'viewer')
  if (input.commitSha === undefined) return { commits: await measuredCommits(ctx, id), files: [], isWhole: true }
  const { files, isWhole } = await loadCommitCoverage(ctx, id, input.commitSha, { maximum: maxCharacters })
  return { commits: files.length > 0 ? [input.commitSha] : [], files: files.map((row) => [...row]), isWhole }
}
