import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Outputs, trpc } from '../../api.ts'
import { Commit, Snippet } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ChoiceField, Form } from '../../parts/form.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty, Section } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Prose } from '../../parts/prose.tsx'
import { SecretOnce } from '../../parts/secret.tsx'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { absoluteTime } from '../../parts/time-text.ts'
import { overlaps } from '../webhook/rotate.tsx'
import { ConnectionSection } from './connection.tsx'
import { hostKinds, likelyKind } from './host-kinds.ts'
import type { TabProps } from './use-draft.ts'

const route = getRouteApi('/projects/$projectId/settings')

const limit = 20

/** How Assay posts results to the code host, and which events the code host sends. */
export function CodeHostTab({ project, isAdmin }: TabProps) {
  const [isRotating, setRotating] = useState(false)
  const connection = useQuery(trpc.codeHost.getConnection.queryOptions({ projectId: project.id }))
  const { webhook } = hostKinds[connection.data?.connection?.kind ?? likelyKind(project.repository)]
  const url = `${location.origin}/api/webhooks/code-host/${project.id}`
  return (
    <>
      <ConnectionSection project={project} isAdmin={isAdmin} />
      <Section
        title="Receive events"
        actions={
          isAdmin ? (
            <button type="button" onClick={() => setRotating(true)}>
              Create or rotate secret
            </button>
          ) : undefined
        }
      >
        <ol className="steps">
          <li>Create the secret with the button above. Assay shows it once.</li>
          <li>
            {webhook.place}
            <Snippet text={url} label="Payload URL" />
          </li>
          <li>
            <Prose text={webhook.settings} />
          </li>
          <li>Save. The next delivery, such as a test of the webhook, appears below within seconds.</li>
        </ol>
      </Section>
      <InboundDeliveries projectId={project.id} />
      {isRotating ? <RotateInbound projectId={project.id} onClose={() => setRotating(false)} /> : undefined}
    </>
  )
}

function RotateInbound({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const [hours, setHours] = useState('24')
  const rotate = useMutation(trpc.projects.rotateInboundSecret.mutationOptions())
  if (rotate.data) {
    const { secret, url, previousSecretUntil } = rotate.data
    return (
      <SecretOnce title="Secret for the code host" secret={secret} label="Secret" onClose={onClose}>
        <div className="stack">
          <h3>Payload URL</h3>
          <Snippet text={url} label="Payload URL" />
          {previousSecretUntil === null ? undefined : (
            <p>Deliveries with the previous secret are accepted until {absoluteTime(previousSecretUntil)}.</p>
          )}
        </div>
      </SecretOnce>
    )
  }
  return (
    <Dialog title="Create or rotate secret" onClose={onClose}>
      <Form onSubmit={() => rotate.mutate({ projectId, overlapHours: Number(hours) })}>
        <p>The code host signs its deliveries with the secret. A new one replaces the previous one.</p>
        <ChoiceField label="Accept the previous secret for" value={hours} onChange={setHours} options={overlaps} />
        <div className="row">
          <button type="submit" disabled={rotate.isPending}>
            Create secret
          </button>
          <button type="button" className="plain" onClick={onClose}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  )
}

type Delivery = Outputs['inbound']['list']['deliveries'][number]

function InboundDeliveries({ projectId }: { projectId: string }) {
  const { offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const deliveries = useQuery(
    trpc.inbound.list.queryOptions(
      { projectId, limit, offset },
      { placeholderData: (before) => before, refetchInterval: 5_000 },
    ),
  )
  return (
    <Section title="Received in the last 30 days">
      <Loaded query={deliveries}>
        {({ deliveries: found, pagination }) =>
          found.length === 0 ? (
            <Empty title="Nothing received">
              <p>Deliveries of the code host appear here with what they started, or why they were ignored.</p>
            </Empty>
          ) : (
            <>
              <Table
                label="Deliveries of the code host"
                columns={columnsFor(projectId)}
                rows={found}
                rowKey={({ id }) => id}
                tone={({ status }) => (status === 'failed' ? 'bad' : undefined)}
              />
              <Pager
                {...pagination}
                onMove={(next) =>
                  void navigate({ search: (before) => ({ ...before, offset: next === 0 ? undefined : next }) })
                }
              />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

const columnsFor = (projectId: string): Column<Delivery>[] => [
  {
    id: 'event',
    title: 'Event',
    cell: ({ event, action }) => (
      <bdi>
        {event}
        {action === null ? '' : ` ${action}`}
      </bdi>
    ),
    value: ({ event }) => event,
  },
  {
    id: 'ref',
    title: 'Branch or tag',
    cell: ({ branch, tag, pullRequest, fork }) => (
      <bdi>
        {branch ?? tag ?? '–'}
        {pullRequest === null ? '' : ` #${pullRequest}`}
        {fork ? ' (fork)' : ''}
      </bdi>
    ),
    value: ({ branch, tag }) => branch ?? tag,
  },
  {
    id: 'commit',
    title: 'Commit',
    minor: true,
    cell: ({ commitSha }) => <Commit sha={commitSha} />,
    value: ({ commitSha }) => commitSha,
  },
  {
    id: 'status',
    title: 'Status',
    cell: ({ status }) => <Status of={status === 'received' ? 'running' : status} text={statusTexts[status]} />,
    value: ({ status }) => status,
  },
  {
    id: 'effect',
    title: 'Effect',
    cell: ({ effects, reason }) => <Effects projectId={projectId} effects={effects} reason={reason} />,
    value: ({ effects, reason }) => reason ?? effects.map(({ kind }) => kind).join(' '),
  },
  {
    id: 'received',
    title: 'Received',
    cell: ({ receivedAt }) => <Time at={receivedAt} />,
    value: ({ receivedAt }) => receivedAt,
  },
]

const statusTexts: Record<Delivery['status'], string> = {
  received: 'Received',
  processed: 'Processed',
  ignored: 'Ignored',
  failed: 'Failed',
}

function Effects({ projectId, effects, reason }: Pick<Delivery, 'effects' | 'reason'> & { projectId: string }) {
  if (effects.length === 0) return <bdi className="quiet">{reason ?? '–'}</bdi>
  return (
    <span className="row">
      {effects.map((effect) =>
        effect.kind === 'analysis' ? (
          <span key={effect.analysisId}>Analysis</span>
        ) : effect.kind === 'gate' ? (
          <Link
            key={effect.gateId}
            to="/projects/$projectId/gates/$gateId"
            params={{ projectId, gateId: effect.gateId }}
          >
            Gate
          </Link>
        ) : (
          <Link key={effect.runId} to="/projects/$projectId/runs/$runId" params={{ projectId, runId: effect.runId }}>
            Test run
          </Link>
        ),
      )}
    </span>
  )
}
