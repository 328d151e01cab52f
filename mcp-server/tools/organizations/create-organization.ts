import { z } from 'zod'
import { CreateOrganization } from '../../../core/identity/organizations/schema.ts'
import { OrganizationFact } from '../../answers/organization-facts.ts'
import { defineTool } from '../tool.ts'

export const createOrganization = defineTool({
  name: 'create_organization',
  title: 'Create an organization',
  description: 'Creates an organization that you own, for projects and members. create_project takes its id.',
  scope: 'org:admin',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  inputSchema: CreateOrganization.pick({ name: true, slug: true, description: true }),
  outputSchema: OrganizationFact.extend({ next: z.string() }),
  run: async (input, call) => {
    const organization = await call.core.organizations.create.mutate(input)
    return { ...organization, next: 'Next: invite_member with its id.' }
  },
})
