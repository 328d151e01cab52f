import { Link } from '@tanstack/react-router'
import { CodeLink } from '../../parts/code-link.tsx'
import { Commit } from '../../parts/copy.tsx'
import { LongText, ShortText } from '../../parts/long-text.tsx'
import { formatCount, plural } from '../../parts/number-text.ts'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import type { Digest, RunDetail } from './run.ts'

type Group = Digest['groups'][number]
type FailingTest = Group['examples'][number]

interface GroupProps {
  projectId: string
  run: RunDetail
  group: Group
  /** Without an earlier run, no failure is new. */
  isCompared: boolean
}

/** The tests that failed with one error. */
export function FailureGroupView({ projectId, run, group, isCompared }: GroupProps) {
  const { message, tests, newTests, flaky, examples, leftOut } = group
  const [first] = examples
  return (
    <article className="failure-group card">
      <header className="failure-head">
        <h2>
          <ShortText text={message === '' ? 'No message' : message} limit={220} />
        </h2>
        <span className="row">
          {flaky ? <Status of="flaky" /> : undefined}
          <span className="number">
            {plural(tests, 'test')}
            {newTests > 0 && isCompared ? <strong>, {formatCount(newTests)} new</strong> : undefined}
            {newTests === 0 ? ', none new' : undefined}
          </span>
        </span>
      </header>
      {first?.message && first.message !== message ? (
        <LongText text={first.message} label="Message" limit={1_500} />
      ) : undefined}
      <ul className="failing-tests plain-list">
        {examples.map((test, at) => (
          <FailingTestView
            key={`${at} ${test.testId}`}
            projectId={projectId}
            run={run}
            test={test}
            isCompared={isCompared}
            showsMessage={test.message !== null && test.message !== first?.message}
          />
        ))}
      </ul>
      {leftOut > 0 ? (
        <p className="quiet">
          and {plural(leftOut, 'more test')}:{' '}
          <Link
            from="/projects/$projectId/runs/$runId"
            to="."
            search={(old) => ({ ...old, tab: 'results' as const, status: 'failed' as const })}
          >
            all failed tests
          </Link>
        </p>
      ) : undefined}
    </article>
  )
}

interface TestProps {
  projectId: string
  run: RunDetail
  test: FailingTest
  isCompared: boolean
  showsMessage: boolean
}

function FailingTestView({ projectId, run, test, isCompared, showsMessage }: TestProps) {
  const { testId, suite, name, file, line, since, flaky, frame, message, stack } = test
  const state = { projectId, run: run.id, commitSha: run.commitSha, snapshotId: run.snapshotId }
  return (
    <li className="failing-test">
      <div className="failing-name">
        <Link to="/projects/$projectId/tests/$testId" params={{ projectId, testId }} preload={false}>
          <ShortText text={suite === '' ? name : `${suite} › ${name}`} limit={300} />
        </Link>
        {file === null ? undefined : <CodeLink {...state} path={file} line={line} />}
      </div>
      <p className="hint">
        <Since projectId={projectId} run={run} since={since} isCompared={isCompared} />
        {frame && frame.file !== file ? (
          <>
            {' '}
            · fails at <CodeLink {...state} path={frame.file} line={frame.line} />
          </>
        ) : undefined}
        {frame && frame.file === file && frame.line !== line ? (
          <>
            {' '}
            · fails at <CodeLink {...state} path={frame.file} line={frame.line} />
          </>
        ) : undefined}
        {' · '}
        <Link
          from="/projects/$projectId/runs/$runId"
          to="."
          search={(old) => ({ ...old, tab: 'results' as const, status: 'failed' as const, test: testId })}
          preload={false}
        >
          complete result<span className="visually-hidden"> of {name.slice(0, 100)}</span>
        </Link>
      </p>
      {flaky ? (
        <p className="hint">
          <Status of="flaky" /> {flaky.reason}
        </p>
      ) : undefined}
      {showsMessage && message !== null ? <LongText text={message} label="Message" limit={800} /> : undefined}
      {stack.length > 0 ? (
        <details>
          <summary>Stack</summary>
          <LongText text={stack.join('\n')} label="Stack" limit={2_000} />
        </details>
      ) : undefined}
    </li>
  )
}

interface SinceProps {
  projectId: string
  run: RunDetail
  since: FailingTest['since']
  isCompared: boolean
}

function Since({ projectId, run, since, isCompared }: SinceProps) {
  if (since.runId === run.id) {
    return isCompared ? <strong className="tone-bad">New in this run</strong> : <>Failed in its first run</>
  }
  return (
    <>
      Failing since{' '}
      <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: since.runId }} preload={false}>
        the run{since.commitSha === null ? '' : ' of '}
        {since.commitSha === null ? undefined : <Commit sha={since.commitSha} />}
      </Link>{' '}
      <Time at={since.createdAt} />, {plural(since.runs, 'run')}
    </>
  )
}
