import { CodeLink } from '../../parts/code-link.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { plural } from '../../parts/number-text.ts'
import type { CodeFile } from './query.ts'

interface ReachingTestsProps {
  projectId: string
  file: CodeFile
  line: number
}

/** The tests that a measurement of strength saw run a line, those that run least other code first. */
export function ReachingTests({ projectId, file, line }: ReachingTestsProps) {
  const found = file.reachedBy?.find((one) => one.line === line)
  if (!found) {
    return (
      <p className="quiet">
        {file.reachedBy
          ? 'Which tests run the line is not known, because it has no small change to try.'
          : 'Which tests run the line is known once their strength is measured.'}
      </p>
    )
  }
  const { tests, nearest } = found
  return (
    <>
      <p>
        {plural(tests, 'test')} {tests === 1 ? 'runs' : 'run'} it{tests > nearest.length ? ', the nearest:' : ':'}
      </p>
      <ul className="plain-list reaching-tests">
        {nearest.map(({ path, name }) => (
          <li key={`${path} ${name}`}>
            {name === null ? 'while it is loaded' : <ShortText text={name} limit={200} />}{' '}
            <CodeLink projectId={projectId} commitSha={file.commitSha} snapshotId={file.snapshotId} path={path} />
          </li>
        ))}
      </ul>
    </>
  )
}
