import type { ProjectCoverage } from './facts.ts'
import { percentOf } from './patch-coverage.ts'

/** Coverage before and after a change, in percent, and which part of the difference comes from removed code. */
export interface CoverageTrend {
  head: number
  base: number
  change: number
  /** The difference that the removal of code makes alone: the base without the removed lines. */
  fromRemoved: number
}

export function trendOf(project: ProjectCoverage | null): CoverageTrend | null {
  const head = project && percentOf(project.head)
  const base = project?.base ? percentOf(project.base) : null
  if (!project?.base || head === null || base === null) return null
  const { base: before, removed } = project
  const left = percentOf({ covered: before.covered - removed.covered, total: before.total - removed.total }) ?? base
  return { head, base, change: head - base, fromRemoved: left - base }
}
