import { shortTime } from './time-text.ts'

interface NamedRun {
  branch: string | null
  createdAt: string
  commitSha: string | null
  /** Whether it ran all tests of the commit. */
  isWhole: boolean
}

/** Names a run in a list to choose from, such as `main, 2026-11-26 14:03, 0f1e2d3c, only some tests`. */
export const runName = ({ branch, createdAt, commitSha, isWhole }: NamedRun): string =>
  [branch, shortTime(createdAt), commitSha?.slice(0, 8), isWhole ? null : 'only some tests']
    .filter((part) => part != null)
    .join(', ')
