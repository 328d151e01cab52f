import { CodeLink, type CodeOf } from '../../parts/code-link.tsx'
import { InlineText } from '../../parts/long-text.tsx'
import { plural } from '../../parts/number-text.ts'
import { Section } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'
import { formatDuration } from '../../parts/time-text.ts'
import type { Evidence } from './types.ts'

type Run = Evidence['runs'][number]

/** Every run of the test, alone and with all other tests, and how it failed. */
export function Runs({ evidence, code }: { evidence: Evidence; code: CodeOf }) {
  const { runs, baseline } = evidence
  if (runs.length === 0 && !baseline) return undefined
  const longest = Math.max(1, ...runs.map(({ durationMs }) => durationMs))
  return (
    <Section title="Runs">
      <div className="card page-lines">
        <RunRow name="Alone" runs={runs.filter(({ kind }) => kind === 'alone')} longest={longest} />
        <RunRow name="With all tests" runs={runs.filter(({ kind }) => kind === 'suite')} longest={longest} />
        {baseline ? (
          <p className="quiet">
            Without the test: {plural(baseline.totalTests, 'test')}, {baseline.failedTests} failed
            {baseline.cached ? ', known from an earlier verification' : ` in ${formatDuration(baseline.durationMs)}`}.
          </p>
        ) : undefined}
        {baseline && baseline.knownFailures.length > 0 ? (
          <details>
            <summary>Tests that fail without it, too</summary>
            <ul>
              {baseline.knownFailures.map((name) => (
                <li key={name}>
                  <bdi>{name}</bdi>
                </li>
              ))}
            </ul>
          </details>
        ) : undefined}
        <Failures runs={runs} code={code} />
        {evidence.collected ? (
          <details>
            <summary>{plural(evidence.collected.total, 'test')} found in the file</summary>
            <ul>
              {evidence.collected.names.map((name) => (
                <li key={name}>
                  <bdi>{name}</bdi>
                </li>
              ))}
            </ul>
          </details>
        ) : undefined}
      </div>
    </Section>
  )
}

function RunRow({ name, runs, longest }: { name: string; runs: readonly Run[]; longest: number }) {
  const passed = runs.filter(({ outcome }) => outcome === 'passed').length
  return (
    <div className="run-row">
      <span>{name}</span>
      {runs.length === 0 ? (
        <span className="quiet">did not run</span>
      ) : (
        <>
          <ol className="run-bars plain-list">
            {runs.map((run, index) => (
              <RunBar key={index} run={run} number={index + 1} longest={longest} />
            ))}
          </ol>
          <span className="number">
            {passed} of {runs.length} passed
          </span>
        </>
      )}
    </div>
  )
}

/** A run whose length is its duration. The icon tells the outcome. */
function RunBar({ run, number, longest }: { run: Run; number: number; longest: number }) {
  const order = run.order === 'random' ? `, random order${run.seed === null ? '' : ` (seed ${run.seed})`}` : ''
  return (
    <li className={`run-bar run-${run.outcome}`} title={`Run ${number}${order}`}>
      <Status of={run.outcome === 'timeout' ? 'error' : run.outcome} compact text={outcomes[run.outcome]} />
      <span className="run-length" aria-hidden="true">
        <span style={{ width: `${(100 * run.durationMs) / longest}%` }} />
      </span>
      <span className="number">{formatDuration(run.durationMs)}</span>
      {run.order === 'random' ? <span className="tag">random order</span> : undefined}
    </li>
  )
}

const outcomes = { passed: 'Passed', failed: 'Failed', not_built: 'Not built', timeout: 'Did not end' } as const

/** The different failures with the number of runs that had each. */
function Failures({ runs, code }: { runs: readonly Run[]; code: CodeOf }) {
  const found = new Map<string, { failure: Run['failures'][number]; runs: number }>()
  for (const failure of runs.flatMap((run) => run.failures)) {
    const key = JSON.stringify([failure.test, failure.message, failure.file, failure.line])
    const before = found.get(key)
    found.set(key, { failure, runs: (before?.runs ?? 0) + 1 })
  }
  const broke = [...new Set(runs.flatMap((run) => run.broke))]
  return (
    <>
      {[...found.values()].map(({ failure, runs: count }) => (
        <div key={JSON.stringify([failure.test, failure.message, failure.line])} className="failure">
          <p className="row">
            <strong>
              <bdi>{failure.test}</bdi>
            </strong>
            <span className="quiet">
              {kinds[failure.kind]}, in {plural(count, 'run')}
            </span>
            {failure.file ? <CodeLink {...code} path={failure.file} line={failure.line} /> : undefined}
          </p>
          {failure.message === null ? undefined : (
            <pre className="message">
              <InlineText text={failure.message} />
            </pre>
          )}
        </div>
      ))}
      {broke.length > 0 ? (
        <div>
          <p>Other tests that pass without it and failed with it:</p>
          <ul>
            {broke.map((name) => (
              <li key={name}>
                <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
        </div>
      ) : undefined}
    </>
  )
}

const kinds: Record<Run['failures'][number]['kind'], string> = {
  assertion: 'assertion',
  crash_in_code: 'the code throws',
  crash_in_test: 'the test throws',
  timeout: 'does not end',
  not_built: 'cannot be loaded',
}
