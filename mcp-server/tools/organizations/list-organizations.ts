import { z } from 'zod'
import { OrganizationFact, renderOrganization } from '../../answers/organization-facts.ts'
import { Page, pageOf, peopleNotice } from '../../answers/output.ts'
import { listHead } from '../../answers/words.ts'
import { defineTool } from '../tool.ts'

const shownAtOnce = 50

export const listOrganizations = defineTool({
  name: 'list_organizations',
  title: 'List organizations',
  description: 'Lists the organizations that you belong to: id, name, slug and your role.',
  scope: 'org:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({ offset: z.int().min(0).default(0) }),
  outputSchema: z.object({ organizations: z.array(OrganizationFact), ...Page.shape, note: z.string() }),
  run: async ({ offset }, call) => {
    const { items, page } = pageOf(await call.core.organizations.list.query(), offset, shownAtOnce)
    return { organizations: items, ...page, note: peopleNotice }
  },
  render: ({ organizations, ...page }) => [
    listHead(page, organizations, 'organization'),
    ...organizations.map(renderOrganization),
    page.total === 0 && 'Call create_organization to create one.',
  ],
  list: 'organizations',
})
