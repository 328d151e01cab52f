/** A line of the palette: where it leads and how it is shown. */
export interface Command {
  kind: string
  title: string
  detail?: string
  href: string
}

const ofAssay: Command[] = [
  { kind: 'Page', title: 'Projects', detail: 'g h', href: '/' },
  { kind: 'Page', title: 'Organizations', detail: 'g o', href: '/organizations' },
  { kind: 'Page', title: 'System', detail: 'g s', href: '/system' },
  { kind: 'Page', title: 'Account settings', href: '/settings' },
  { kind: 'Page', title: 'Tokens', href: '/settings/tokens' },
  { kind: 'Page', title: 'Sessions', href: '/settings/sessions' },
  { kind: 'Page', title: 'Audit log', href: '/settings/audit' },
]

const ofProject = [
  ['', 'Overview', 'g p'],
  ['/runs', 'Runs', 'g r'],
  ['/tests', 'Tests', 'g f'],
  ['/suggestions', 'What to test', 'g t'],
  ['/coverage', 'Coverage', 'g c'],
  ['/strength', 'Strength of the tests', 'g w'],
  ['/verifications', 'Verifications', 'g v'],
  ['/changes', 'Changes', 'g d'],
  ['/gates', 'Gates', 'g g'],
  ['/selection', 'Selection', 'g l'],
  ['/activity', 'Activity', 'g a'],
  ['/webhooks', 'Webhooks', 'g b'],
  ['/settings', 'Project settings', 'g e'],
] as const

/** The pages that can be opened from here, those of the current project first. */
export function pageCommands(projectId: string | undefined): Command[] {
  const own = projectId === undefined ? [] : ofProject
  return [
    ...own.map(([path, title, detail]) => ({ kind: 'Page', title, detail, href: `/projects/${projectId}${path}` })),
    ...ofAssay,
  ]
}
