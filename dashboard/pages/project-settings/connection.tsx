import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Outputs, queryClient, trpc } from '../../api.ts'
import { AskButton } from '../../parts/ask-button.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Facts, Section } from '../../parts/page.tsx'
import { Prose } from '../../parts/prose.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useNames, Who } from '../../parts/who.tsx'
import { announce } from '../../shell/notices.ts'
import '../../styles/judged.css'
import { hostKinds } from './host-kinds.ts'
import { SetConnection } from './set-connection.tsx'
import type { Project } from './use-draft.ts'

type Connection = NonNullable<Outputs['codeHost']['getConnection']['connection']>

interface SectionProps {
  project: Project
  isAdmin: boolean
}

/** The token with which Assay posts results to GitLab, Gitea, Forgejo or another GitHub server. */
export function ConnectionSection({ project, isAdmin }: SectionProps) {
  const [isSetting, setSetting] = useState(false)
  const projectId = project.id
  // The problem of a post appears while the page is open.
  const query = useQuery(trpc.codeHost.getConnection.queryOptions({ projectId }, { refetchInterval: 15_000 }))
  const known = query.data?.connection
  return (
    <Section
      title="Post results"
      actions={
        isAdmin && query.data ? (
          <>
            <button type="button" onClick={() => setSetting(true)}>
              {known ? 'Replace connection' : 'Set connection'}
            </button>
            {known ? <RemoveConnection projectId={projectId} of={known} /> : undefined}
          </>
        ) : undefined
      }
    >
      <Loaded query={query}>
        {({ connection }) =>
          connection ? (
            <ConnectionFacts projectId={projectId} of={connection} />
          ) : (
            <p>
              No connection is set. GitLab, Gitea, Forgejo and other GitHub servers need one, so that Assay can post
              commit statuses and comments there. Where the GitHub App or a linked account posts, none is needed.
            </p>
          )
        }
      </Loaded>
      {isSetting ? (
        <SetConnection project={project} known={known ?? undefined} onClose={() => setSetting(false)} />
      ) : undefined}
    </Section>
  )
}

function ConnectionFacts({ projectId, of }: { projectId: string; of: Connection }) {
  const nameOf = useNames(projectId)
  const { kind, apiUrl, setBy, setAt, lastProblem, lastProblemAt } = of
  return (
    <div className="page-lines">
      <Facts
        of={[
          [
            'Status',
            <Status
              key="status"
              of={lastProblem === null ? 'active' : 'failing'}
              text={lastProblem === null ? 'Connected' : 'Failing'}
            />,
          ],
          ['Code host', hostKinds[kind].name],
          ['API', <bdi key="api">{apiUrl}</bdi>],
          ['Token', <span key="token">set, hidden</span>],
          ['Set by', <Who key="by" name={setBy === null ? undefined : nameOf(setBy)} />],
          ['Set', <Time key="at" at={setAt} />],
        ]}
      />
      {lastProblem === null || lastProblemAt === null ? undefined : (
        <p className="note-line tone-bad">
          <span>
            Last problem, <Time at={lastProblemAt} />: <Prose text={lastProblem} max={600} />
          </span>
        </p>
      )}
    </div>
  )
}

function RemoveConnection({ projectId, of }: { projectId: string; of: Connection }) {
  const remove = useMutation(
    trpc.codeHost.removeConnection.mutationOptions({
      onSuccess: (found) => {
        queryClient.setQueryData(trpc.codeHost.getConnection.queryKey({ projectId }), found)
        announce('The connection was removed.')
      },
    }),
  )
  return (
    <AskButton
      label="Remove connection"
      title="Remove connection"
      action="Remove connection"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate({ projectId })}
    >
      <p>
        Assay deletes the token for <bdi>{of.apiUrl}</bdi> and no longer posts with it. Revoke the token at the code
        host, too.
      </p>
    </AskButton>
  )
}
