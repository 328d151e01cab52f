import { Link } from '@tanstack/react-router'
import { plural } from '../../parts/number-text.ts'
import { Empty } from '../../parts/page.tsx'
import type { RunDetail } from './run.ts'

/** In place of results that are older than the project keeps them. */
export function DeletedResults({ projectId, run }: { projectId: string; run: RunDetail }) {
  return (
    <Empty title="The results were deleted">
      <p>
        The results of single tests are kept for a time that the{' '}
        <Link to="/projects/$projectId/settings" params={{ projectId }} search={{ tab: 'health' }}>
          settings of the project
        </Link>{' '}
        say. The counts of this run stay: {plural(run.totalTests, 'test')}, {run.failedTests} failed,{' '}
        {run.mutedTests > 0 ? `${run.mutedTests} failed but muted, ` : ''}
        {run.skippedTests} skipped.
      </p>
    </Empty>
  )
}
