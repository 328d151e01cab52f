import type { Outputs } from '../../api.ts'

export const organizationTabs = ['projects', 'members', 'webhooks', 'plan', 'settings'] as const
export type OrganizationTab = (typeof organizationTabs)[number]

export const tabTexts: Record<OrganizationTab, string> = {
  projects: 'Projects',
  members: 'Members',
  webhooks: 'Webhooks',
  plan: 'Plan',
  settings: 'Settings',
}

export type Organization = Outputs['organizations']['getBySlug']
