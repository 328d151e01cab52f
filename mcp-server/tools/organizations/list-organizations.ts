import { z } from 'zod'
import { OrganizationFact } from '../../answers/organization-facts.ts'
import { Page, pageOf, peopleNotice } from '../../answers/output.ts'
import { defineTool } from '../tool.ts'

const shownAtOnce = 50

export const listOrganizations = defineTool({
  name: 'list_organizations',
  title: 'List organizations',
  description: 'Lists the organizations that you belong to: id, name, slug and your role.',
  scope: 'org:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({ offset: z.int().min(0).default(0) }),
  outputSchema: z.object({
    organizations: z.array(OrganizationFact),
    ...Page.shape,
    note: z.string(),
    next: z.string().optional(),
  }),
  run: async ({ offset }, call) => {
    const { items, page } = pageOf(await call.core.organizations.list.query(), offset, shownAtOnce)
    const next = page.total === 0 ? 'Call create_organization to create one.' : undefined
    return { organizations: items, ...page, note: peopleNotice, next }
  },
})
