import { z } from 'zod'
import { readJson } from '../http/body.ts'
import { requireOwnEmail } from '../permissions.ts'
import type { Route } from '../routes.ts'
import { StartAnalysis } from './schema.ts'
import { startAnalysis } from './start.ts'

const AnalyzeBody = StartAnalysis.pick({ branch: true, commitSha: true, userEmail: true })

export const AnalysisAccepted = z.object({ analysisId: z.string(), status: z.string(), message: z.string() })

/** `POST /api/v1/projects/:id/analyze` */
export const analyzeProject: Route = async (ctx, koa) => {
  const { userEmail, ...body } = await readJson(koa, AnalyzeBody)
  requireOwnEmail(ctx, userEmail)
  const analysis = await startAnalysis(ctx, { ...body, projectId: koa.params['id'] ?? '' })
  return {
    status: 202,
    body: AnalysisAccepted.parse({
      analysisId: analysis.id,
      status: analysis.status,
      message: 'The analysis is under way. Ask analysis.getAnalysis for its progress and result.',
    }),
  }
}
