import { z } from 'zod'
import { OrganizationFact, organizationFact, renderOrganization } from '../../answers/organization-facts.ts'
import { cutPage, Page, pageOf, peopleNotice, renderPageEnd } from '../../answers/output.ts'
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
    return { organizations: items.map(organizationFact), ...page, note: peopleNotice }
  },
  render: ({ organizations, note, total, ...page }) =>
    [
      `${total} ${total === 1 ? 'organization' : 'organizations'}${organizations.length < total ? `, ${organizations.length} shown` : ''}.`,
      ...organizations.map(renderOrganization),
      ...renderPageEnd({ total, ...page }),
      ...(total === 0 ? ['Call create_organization to make one.'] : [note]),
    ].join('\n'),
  list: {
    count: ({ organizations }) => organizations.length,
    keep: ({ organizations, total, offset, nextOffset, ...facts }, count) => {
      const { items, page } = cutPage(organizations, { total, offset, nextOffset }, count)
      return { ...facts, organizations: items, ...page }
    },
  },
})
