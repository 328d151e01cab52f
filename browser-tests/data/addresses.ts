import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Filled } from './fill.ts'

/** The folders of the pages. */
export const pageNames: readonly string[] = readdirSync(join(import.meta.dirname, '../../dashboard/pages')).toSorted()

/** An address of each state of a page that differs from the others, by the folder of the page. */
export type Addresses = Record<string, readonly string[]>

/** The pages of the filled data. The first address of each page is the one to show. */
export function addressesOf({ projects: [project], organization }: Filled): Addresses {
  if (!project) throw new Error('There is no project.')
  const of = `/projects/${project.id}`
  const { runIds, verificationIds, changeIds, gateIds, measurementIds, generatedTestIds, webhookIds } = project
  const inOrganization = (tab: string) => `/organizations/${organization.slug}?tab=${tab}`
  return {
    projects: ['/', '/?search=nothing+has+this+name'],
    organizations: ['/organizations', '/organizations?create=true'],
    organization: [
      `/organizations/${organization.slug}`,
      ...['members', 'webhooks', 'plan', 'settings'].map(inOrganization),
    ],
    system: ['/system'],
    account: ['/settings', '/settings?done=password-changed'],
    tokens: ['/settings/tokens', '/settings/tokens?create=ci'],
    sessions: ['/settings/sessions'],
    audit: ['/settings/audit'],
    project: [of, `${of}?days=90`],
    runs: [`${of}/runs`, `${of}/runs?status=FAILED&branch=main`, `${of}/runs?branch=none`],
    tests: [
      `${of}/tests`,
      ...[
        'tab=trouble',
        'tab=quarantine',
        'tab=quarantine&status=rejected',
        'tab=slowest',
        'search=nothing+has+this',
      ].map((query) => `${of}/tests?${query}`),
    ],
    test: [project.testId, ...Object.values(project.testIds)].map((id) => `${of}/tests/${id}`),
    suggestions: [`${of}/suggestions`, `${of}/suggestions?tab=suggestions`, `${of}/suggestions?tab=generated`],
    'generated-test': generatedTestIds.slice(0, 3).map((id) => `${of}/generated-tests/${id}`),
    coverage: [`${of}/coverage`],
    code: [`${of}/code?path=${encodeURIComponent(project.path)}`, `${of}/code`],
    strength: [`${of}/strength`, `${of}/strength?measure=true`],
    measurement: measurementIds.filter((_, index) => index % 3 === 0).map((id) => `${of}/strength/${id}`),
    verifications: [`${of}/verifications`, `${of}/verifications?verdict=flaky`],
    verification: verificationIds
      .filter((_, index) => index < 5 || index > 11)
      .map((id) => `${of}/verifications/${id}`),
    changes: [`${of}/changes`],
    change: changeIds.slice(0, 7).map((id) => `${of}/changes/${id}`),
    gates: [`${of}/gates`, `${of}/gates?state=failure`, `${of}/gates?pullRequest=1`],
    gate: gateIds.map((id) => `${of}/gates/${id}`),
    selection: [`${of}/selection`, `${of}/selection?red=true`],
    activity: [`${of}/activity`],
    webhooks: [`${of}/webhooks`, `${of}/webhooks?create=true`],
    webhook: webhookIds.map((id) => `${of}/webhooks/${id}`),
    'project-settings': [
      `${of}/settings`,
      ...['tests', 'health', 'runs', 'gate', 'selection', 'environment', 'code-host', 'danger'].map(
        (tab) => `${of}/settings?tab=${tab}`,
      ),
    ],
    run: [
      ...runAddresses(of, runIds.failed),
      `${of}/runs/${runIds.passed}`,
      `${of}/runs/${runIds.errored}`,
      `${of}/runs/${runIds.upload}`,
    ],
  }
}

function runAddresses(of: string, runId: string): string[] {
  const tabs = ['results', 'log', 'artifacts', 'plan', 'coverage']
  return [`${of}/runs/${runId}`, ...tabs.map((tab) => `${of}/runs/${runId}?tab=${tab}`)]
}

/** The pages of the project in which every text is hostile. */
export function hostileAddresses({ hostile, organization }: Filled): string[] {
  if (!hostile) throw new Error('The data have no hostile project.')
  const { projectId, runId, testIds, gateId } = hostile
  const of = `/projects/${projectId}`
  const lists = ['runs', 'suggestions', 'suggestions?tab=suggestions', 'suggestions?tab=generated', 'verifications']
  const others = [
    'changes',
    'gates',
    `gates/${gateId}`,
    'selection',
    'webhooks',
    'settings',
    'activity',
    'coverage',
    'code',
    'strength',
    'tests',
    'tests?tab=quarantine',
  ]
  return [
    '/',
    of,
    ...[...lists, ...others].map((page) => `${of}/${page}`),
    ...runAddresses(of, runId),
    ...testIds.map((id) => `${of}/tests/${id}`),
    `/organizations/${organization.slug}`,
  ]
}
