import type { Outputs } from '../../api.ts'
import { Facts } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'

const kept = [
  ['network', 'Network'],
  ['filesystem', 'Files of this machine'],
  ['limits', 'More than its share of resources'],
] as const

/** What the code of test runs is kept from. */
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
          ...kept.map(
            ([key, text]) =>
              isolates !== null &&
              ([
                text,
                <Status
                  key={key}
                  of={isolates[key] ? 'passed' : 'paused'}
                  text={isolates[key] ? 'kept away' : 'not kept away'}
                />,
              ] as const),
          ),
        ]}
      />
      {description === null ? undefined : <p className="hint">{description}</p>}
    </div>
  )
}
