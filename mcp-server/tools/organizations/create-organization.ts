import { CreateOrganization } from '../../../core/identity/organizations/schema.ts'
import { OrganizationFact, renderOrganization } from '../../answers/organization-facts.ts'
import { defineTool } from '../tool.ts'

export const createOrganization = defineTool({
  name: 'create_organization',
  title: 'Create an organization',
  description: 'Creates an organization that you own, for projects and members. create_project takes its id.',
  scope: 'org:admin',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  inputSchema: CreateOrganization.pick({ name: true, slug: true, description: true }),
  outputSchema: OrganizationFact,
  run: async (input, call) => call.core.organizations.create.mutate(input),
  render: (organization) => [`Created: ${renderOrganization(organization)}`, 'Next: invite_member with its id.'],
})
