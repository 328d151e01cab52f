import { z } from 'zod'
import { procedure, router } from '../http/trpc.ts'
import { createProject } from './create.ts'
import { getProjects } from './get.ts'
import {
  CreateProject,
  ListProjects,
  Project,
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
  getProjectSettings: procedure
    .input(ProjectRef)
    .output(ProjectSettings)
    .query(({ ctx, input }) => getProjectSettings(ctx, input)),
  createProject: procedure
    .input(CreateProject)
    .output(Project)
    .mutation(({ ctx, input }) => createProject(ctx, input)),
  updateProject: procedure
    .input(UpdateProject)
    .output(Project)
    .mutation(({ ctx, input }) => updateProject(ctx, input)),
  updateProjectSettings: procedure
    .input(UpdateProjectSettings)
    .output(ProjectSettings)
    .mutation(({ ctx, input }) => updateProjectSettings(ctx, input)),
})
