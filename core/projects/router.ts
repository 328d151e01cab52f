import { z } from 'zod'
import { getLatestProjectAnalysis, getProjectAnalyses } from '../analysis/get.ts'
import { AnalysisWithResult, Analysis, ListAnalyses } from '../analysis/schema.ts'
import { RotatedInboundSecret, RotateInboundSecret } from '../inbound/schema.ts'
import { rotateInboundSecret } from '../inbound/secrets.ts'
import { procedure, router } from '../http/trpc.ts'
import { createProject } from './create.ts'
import { deleteProject } from './delete.ts'
import { getProject, getProjects } from './get.ts'
import {
  CreateProject,
  ListProjects,
  Project,
  ProjectDetail,
  ProjectRef,
  ProjectSettings,
  UpdateProject,
  UpdateProjectSettings,
} from './schema.ts'
import { getProjectSettings, updateProjectSettings } from './settings.ts'
import { updateProject } from './update.ts'

export const projectsRouter = router({
  getProjects: procedure
    .input(ListProjects)
    .output(z.array(Project))
    .query(({ ctx, input }) => getProjects(ctx, input)),
  getProject: procedure
    .input(ProjectRef)
    .output(ProjectDetail)
    .query(({ ctx, input }) => getProject(ctx, input)),
  getProjectSettings: procedure
    .input(ProjectRef)
    .output(ProjectSettings)
    .query(({ ctx, input }) => getProjectSettings(ctx, input)),
  getProjectAnalyses: procedure
    .input(ListAnalyses)
    .output(z.array(Analysis))
    .query(({ ctx, input }) => getProjectAnalyses(ctx, input)),
  getLatestProjectAnalysis: procedure
    .input(ProjectRef)
    .output(AnalysisWithResult)
    .query(({ ctx, input }) => getLatestProjectAnalysis(ctx, input)),
  createProject: procedure
    .input(CreateProject)
    .output(Project)
    .mutation(({ ctx, input }) => createProject(ctx, input)),
  updateProject: procedure
    .input(UpdateProject)
    .output(Project)
    .mutation(({ ctx, input }) => updateProject(ctx, input)),
  deleteProject: procedure
    .input(ProjectRef)
    .output(z.object({ message: z.string() }))
    .mutation(({ ctx, input }) => deleteProject(ctx, input)),
  updateProjectSettings: procedure
    .input(UpdateProjectSettings)
    .output(ProjectSettings)
    .mutation(({ ctx, input }) => updateProjectSettings(ctx, input)),
  rotateInboundSecret: procedure
    .input(RotateInboundSecret)
    .output(RotatedInboundSecret)
    .mutation(({ ctx, input }) => rotateInboundSecret(ctx, input)),
})
