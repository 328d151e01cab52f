import { plural } from '../../parts/number-text.ts'
import { RunStrip } from '../../parts/run-strip.tsx'
import { formatDuration } from '../../parts/time-text.ts'
import { Time } from '../../parts/time.tsx'
import type { TestDetail } from './types.ts'

type StripResult = TestDetail['strip'][number]

/** The latest results as bars. Failures of an outage are outlines, because they say nothing about the test. */
export function ResultStrip({ projectId, test: { strip, testId } }: { projectId: string; test: TestDetail }) {
  if (strip.length === 0) return <p className="quiet">The latest runs do not contain the test.</p>
  const excused = strip.filter(isExcused).length
  return (
    <>
      <div className="test-strip">
        <RunStrip
          projectId={projectId}
          noun="result"
          query={`?tab=results&test=${encodeURIComponent(testId)}`}
          runs={strip.map((result) => ({
            runId: result.runId,
            reportedStatus: result.status,
            createdAt: result.at,
            detail: detailOf(result),
            isExcused: isExcused(result),
          }))}
        />
        <p className="strip-ends hint">
          <Time at={strip.at(-1)?.at} />
          <Time at={strip[0]?.at} />
        </p>
      </div>
      <p className="hint">
        {plural(strip.length, 'result')} of all branches, newest at the right.
        {excused > 0
          ? ` ${plural(excused, 'outlined failure')} ${excused === 1 ? 'is part' : 'are part'} of an outage and ${excused === 1 ? 'does' : 'do'} not count.`
          : ''}
      </p>
    </>
  )
}

const isExcused = ({ status, outage }: StripResult) => outage !== null && status !== 'passed'

/** Why a run says nothing about single tests. */
function outageText(outage: string): string {
  if (outage === 'mass') return 'outage: most tests of the run failed'
  return outage === 'burst' ? 'outage: far more tests failed than usual' : `outage: ${outage} tests with one error`
}

function detailOf(result: StripResult): string | undefined {
  const { branch, durationMs, outage } = result
  const parts = [
    isExcused(result) && outage !== null ? outageText(outage) : '',
    durationMs === null ? '' : formatDuration(durationMs),
    branch === null ? '' : branch.slice(0, 60),
  ].filter((part) => part !== '')
  return parts.length === 0 ? undefined : parts.join(', ')
}
