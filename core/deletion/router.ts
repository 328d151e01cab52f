import { z } from 'zod'
import { procedure, router } from '../http/trpc.ts'
import { OrganizationRef } from '../identity/organizations/schema.ts'
import { ProjectRef } from '../projects/schema.ts'
import { deleteOrganization } from './delete-organization.ts'
import { deleteProject } from './delete-project.ts'

const Message = z.object({ message: z.string() })

/** Under `projects`. */
export const projectDeletionRouter = router({
  deleteProject: procedure
    .input(ProjectRef)
    .output(Message)
    .mutation(({ ctx, input }) => deleteProject(ctx, input)),
})

/** Under `organizations`. */
export const organizationDeletionRouter = router({
  delete: procedure
    .input(OrganizationRef)
    .output(Message)
    .mutation(({ ctx, input }) => deleteOrganization(ctx, input)),
})
