import type { Outputs } from '../../api.ts'

export type Run = Outputs['testRuns']['list']['runs'][number]

export const sourceNames = ['dashboard', 'api', 'ci', 'push', 'pull_request', 'release', 'rerun', 'upload'] as const

/** What triggered a run. */
export const sources: Record<Run['source'], string> = {
  dashboard: 'Dashboard',
  api: 'API',
  ci: 'CI',
  push: 'Push',
  pull_request: 'Pull request',
  release: 'Release',
  rerun: 'Rerun',
  upload: 'Upload',
}

/** What triggered a run, and who: `Started by you`. */
export function startOf({ source }: Pick<Run, 'source'>, name: string | undefined): string {
  const by = name === undefined ? '' : ` by ${name}`
  if (source === 'dashboard') return `Started${by}`
  return source === 'api' ? `Started${by} with the API` : `${sources[source]}${by}`
}

/** Says which tests a run ran if not all of them, or its own name. */
export function subjectOf({ name, selection, rerunOf, snapshotId, type }: Run): string | undefined {
  const parts: string[] = []
  if (name !== null) parts.push(name)
  if (snapshotId !== null) parts.push('working tree')
  if (rerunOf !== null) parts.push('failed tests again')
  else if (selection && selection.paths.length > 0) parts.push(selection.paths.join(', '))
  if (type !== 'ALL') parts.push(type.toLowerCase())
  return parts.length > 0 ? parts.join(' · ') : undefined
}

export const isActive = ({ status }: Pick<Run, 'status'>) => status === 'PENDING' || status === 'RUNNING'
