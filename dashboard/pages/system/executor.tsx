import type { Outputs } from '../../api.ts'
import { Facts } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'

const isolated = [
  ['network', 'Network', 'blocked', 'not blocked'],
  ['filesystem', 'Files of this machine', 'hidden', 'not hidden'],
  ['limits', 'Resource limits', 'enforced', 'not enforced'],
] as const

/** What the sandbox isolates the code of test runs from. */
export function Executor({
  executor: { name, isolates, description },
}: {
  executor: Outputs['system']['status']['executor']
}) {
  if (name === null && description === null) {
    return <p className="quiet">Other processes run the tests, or no sandbox can be used here.</p>
  }
  return (
    <div className="stack">
      <Facts
        of={[
          ['Executor', name ?? 'none'],
          ...isolated.map(
            ([key, text, yes, no]) =>
              isolates !== null &&
              ([
                text,
                <Status key={key} of={isolates[key] ? 'passed' : 'paused'} text={isolates[key] ? yes : no} />,
              ] as const),
          ),
        ]}
      />
      {description === null ? undefined : <p className="hint">{description}</p>}
    </div>
  )
}
