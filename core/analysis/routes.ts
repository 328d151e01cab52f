import { z } from 'zod'
import { restHandler } from '../http/handler.ts'
import { requireOwnEmail } from '../base/permissions.ts'
import { AnalysisStatus, StartAnalysis } from './schema.ts'
import { AnalysisResult, AnalysisScope } from '../../engines/analysis/schema.ts'
import { analyzeRepository, scopeOf } from './analyze-repository.ts'
import { startAnalysis } from './start.ts'

const { branch, commitSha, snapshotId, userEmail } = StartAnalysis.shape

const AnalyzeBody = z.object({
  branch: branch.meta({ description: 'Defaults to the branch of the project', examples: ['main'] }),
  commitSha: commitSha.meta({
    description: 'A full commit id',
    examples: ['9fceb02d0ae598e95dc970b74767f19372d61af8'],
  }),
  snapshotId: snapshotId.meta({ description: 'A snapshot, instead of `branch` and `commitSha`' }),
  ...AnalysisScope.shape,
  userEmail: userEmail.describe('Not required. Rejected if it is not your own address.'),
})

export const AnalysisAccepted = z.object({ analysisId: z.string(), status: AnalysisStatus, message: z.string() })

/** `POST /api/v1/projects/:id/analyze` */
export const analyzeProject = restHandler(
  {
    name: 'analyzeProject',
    summary: 'Analyzes a commit of the project',
    description:
      'Returns immediately. A request for a commit with a queued or running analysis returns that analysis. ' +
      'With `paths`, `since` or `symbols` it waits for the end and returns the result for that part of the repository.',
    body: AnalyzeBody,
    answers: { 200: AnalysisResult, 202: AnalysisAccepted },
    errors: ['CONFLICT', 'TIMEOUT'],
  },
  async (ctx, { params, body: { userEmail, ...body } }) => {
    requireOwnEmail(ctx, userEmail)
    const projectId = params['id'] ?? ''
    if (scopeOf(body)) {
      return { status: 200, body: await analyzeRepository(ctx, { ...body, projectId }) }
    }
    const analysis = await startAnalysis(ctx, { ...body, projectId })
    return {
      status: 202,
      body: {
        analysisId: analysis.id,
        status: analysis.status,
        message: 'The analysis has started. Call analysis.getAnalysis for its progress and result.',
      },
    }
  },
)
