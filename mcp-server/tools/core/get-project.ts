import { z } from 'zod'
import { Analysis } from '../../../core/analysis/schema.ts'
import { findProject } from '../../answers/find-project.ts'
import { dataNotice } from '../../answers/output.ts'
import { ProjectFact } from '../../answers/project-facts.ts'
import { maybe, untrusted } from '../../answers/untrusted.ts'
import { defineTool, Id, requireEither } from '../tool.ts'

const AnalysisLine = Analysis.pick({ id: true, status: true, createdAt: true }).extend({
  commitSha: maybe(z.string()),
  branch: maybe(untrusted.name(1_000)),
})

export const getProject = defineTool({
  name: 'get_project',
  title: 'Get a project',
  description:
    'Shows one project and its latest analyses. Give projectId, or repository: its URL, owner/name or path, ' +
    "or the project's name.",
  scope: 'projects:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({ projectId: Id.optional(), repository: z.string().max(2_048).optional() }),
  outputSchema: ProjectFact.extend({ analyses: z.array(AnalysisLine), note: z.string(), next: z.string() }),
  run: async ({ projectId, repository }, call) => {
    requireEither({ projectId, repository }, 'projectId', 'repository', '. list_projects shows both.')
    const project =
      repository === undefined
        ? await call.core.projects.getProject.query({ projectId: projectId ?? '' })
        : await findProject(call.core, repository)
    const wanted = { projectId: project.id, snapshotId: null, limit: 3 }
    const analyses = await call.core.projects.getProjectAnalyses.query(wanted)
    const isAnalyzed = analyses.some(({ status }) => status === 'completed')
    const next = isAnalyzed
      ? 'Next: suggest_tests, or get_analysis for the results.'
      : 'Next: analyze_repository, then suggest_tests.'
    return { ...project, analyses, note: dataNotice, next }
  },
})
