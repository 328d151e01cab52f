import { UpdateOrganization } from '../../../core/identity/organizations/schema.ts'
import { OrganizationFact } from '../../answers/organization-facts.ts'
import { defineTool, Id, refuse } from '../tool.ts'

export const updateOrganization = defineTool({
  name: 'update_organization',
  title: 'Change an organization',
  description: 'Changes the given fields of an organization: name, slug or description.',
  scope: 'org:admin',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: UpdateOrganization.pick({ name: true, slug: true }).extend({
    organizationId: Id,
    description: UpdateOrganization.shape.description.unwrap().unwrap().optional(),
  }),
  outputSchema: OrganizationFact,
  run: async (input, call) => {
    if (input.name === undefined && input.slug === undefined && input.description === undefined) {
      refuse('give a name, slug or description to change.')
    }
    return call.core.organizations.update.mutate(input)
  },
})
