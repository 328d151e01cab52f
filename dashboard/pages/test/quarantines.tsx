import { VariantTag } from '../../parts/health.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { plural } from '../../parts/number-text.ts'
import { Section } from '../../parts/page.tsx'
import {
  IssueLink,
  type Quarantine,
  QuarantineActions,
  type QuarantineRights,
  RightsHint,
  useQuarantineRights,
} from '../../parts/quarantine-actions.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { modeTexts } from '../../parts/test-names.ts'
import { useNames } from '../../parts/who.tsx'
import type { TestDetail } from './types.ts'

/** The quarantines of the test, the open ones with what the user may do. */
export function Quarantines({ projectId, test: { quarantines } }: { projectId: string; test: TestDetail }) {
  const rights = useQuarantineRights(projectId)
  const nameOf = useNames(projectId)
  if (quarantines.length === 0) return undefined
  const waits = quarantines.some(({ status }) => status === 'requested')
  return (
    <Section title="Quarantine">
      {waits ? <RightsHint rights={rights} /> : undefined}
      <ul className="test-quarantines plain-list">
        {quarantines.map((quarantine) => (
          <Item key={quarantine.id} quarantine={quarantine} rights={rights} nameOf={nameOf} />
        ))}
      </ul>
    </Section>
  )
}

interface ItemProps {
  quarantine: Quarantine
  rights: QuarantineRights
  nameOf: (userId: string) => string | undefined
}

function Item({ quarantine, rights, nameOf }: ItemProps) {
  const { status, mode, variant, reason, owner, issueUrl, automatic, requestedBy, requestedAt } = quarantine
  const isActive = status === 'active'
  const by = automatic ? 'Assay' : requestedBy === null ? undefined : nameOf(requestedBy)
  return (
    <li className="card test-quarantine">
      <p className="row">
        <Status of={isActive ? 'muted' : status} text={isActive ? modeTexts[mode] : undefined} />
        <VariantTag of={variant} />
        <End quarantine={quarantine} nameOf={nameOf} />
        <QuarantineActions quarantine={quarantine} rights={rights} />
      </p>
      <p>
        <ShortText text={reason} limit={500} />
      </p>
      <p className="quiet row">
        <span>
          Requested
          {by === undefined ? (
            ''
          ) : (
            <>
              {' '}
              by <ShortText text={by} limit={60} />
            </>
          )}{' '}
          <Time at={requestedAt} />
        </span>
        {owner === null ? undefined : (
          <span>
            Owner <ShortText text={owner} limit={120} />
          </span>
        )}
        {issueUrl === null ? undefined : (
          <span>
            Issue <IssueLink url={issueUrl} />
          </span>
        )}
      </p>
    </li>
  )
}

/** When it ends or ended, and why. */
function End({ quarantine, nameOf }: Pick<ItemProps, 'quarantine' | 'nameOf'>) {
  const { status, days, mode, expiresAt, endedAt, endedBy, endReason } = quarantine
  if (status === 'requested') {
    return (
      <span>
        to be {mode} for {plural(days, 'day')}
      </span>
    )
  }
  if (status === 'active') {
    return (
      <span>
        ends <Time at={expiresAt} />
      </span>
    )
  }
  const by = endedBy === null ? undefined : nameOf(endedBy)
  return (
    <span>
      <Time at={endedAt} />
      {by === undefined ? undefined : (
        <>
          {' '}
          by <ShortText text={by} limit={60} />
        </>
      )}
      {endReason === null ? undefined : (
        <>
          : <ShortText text={endReason} limit={500} />
        </>
      )}
    </span>
  )
}
