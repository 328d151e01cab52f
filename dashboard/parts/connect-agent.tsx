import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Inputs, type Outputs, queryClient, trpc } from '../api.ts'
import { Snippet } from './copy.tsx'
import { CheckField } from './form.tsx'

/** What an agent needs for suggestions, runs and verdicts, and nothing of the administration. */
const agentScopes = [
  'projects:read',
  'projects:write',
  'analysis:run',
  'tests:read',
  'tests:run',
  'artifacts:read',
] as const satisfies Inputs['tokens']['create']['scopes']

/** For requests of quarantine. It is no default, because it also covers what the user may do, such as granting them. */
const requestScope = 'tests:write'

const shown = '<token>'

/** The settings that connect a coding agent, with a fresh token on request. */
export function ConnectAgent({ projectId }: { projectId?: string }) {
  const [token, setToken] = useState<string>()
  const [requests, setRequests] = useState(false)
  const status = useQuery(trpc.system.status.queryOptions(undefined, { staleTime: 60_000 }))
  const create = useMutation(
    trpc.tokens.create.mutationOptions({
      onSuccess: ({ token: created }) => {
        setToken(created)
        void queryClient.invalidateQueries(trpc.tokens.list.pathFilter())
      },
    }),
  )
  const connect = status.data?.connect
  const mcpUrl = connect?.mcpUrl ?? `${location.protocol}//${location.hostname}:4100/mcp`
  // The tool for requests is in a toolset of its own.
  const url = requests ? `${mcpUrl}?toolsets=default,tests` : mcpUrl
  const { stdio } = connect ?? {}
  return (
    <div className="stack">
      {stdio ? (
        <>
          <p>On this machine, over stdio. The server finds the address and the token by itself:</p>
          <Snippet label="Command for Claude Code" text={stdioCommand(stdio)} />
        </>
      ) : undefined}
      <p>Over HTTP, from any machine that reaches this server:</p>
      <Snippet
        label="Command for Claude Code over HTTP"
        text={`claude mcp add --transport http assay ${url} --header "Authorization: Bearer ${token ?? shown}"`}
      />
      <Snippet
        label="Configuration for other clients"
        text={JSON.stringify(
          { mcpServers: { assay: { type: 'http', url, headers: { Authorization: `Bearer ${token ?? shown}` } } } },
          null,
          2,
        )}
      />
      {token === undefined ? (
        <>
          <CheckField
            label="It may request quarantine for flaky tests"
            hint="A person has to grant each request. The token can then also do what your role allows: grant requests, and change the rules for test health."
            checked={requests}
            onChange={setRequests}
          />
          <div className="row">
            <button
              type="button"
              className="plain"
              disabled={create.isPending}
              onClick={() =>
                create.mutate({
                  name: 'Coding agent',
                  scopes: requests ? [...agentScopes, requestScope] : [...agentScopes],
                  ...(projectId ? { projectId } : {}),
                })
              }
            >
              Create a token for these settings
            </button>
            <span className="hint">
              It can read{projectId ? ' this project' : ' your projects'}, run tests and analyses, and is valid for 90
              days.
            </span>
          </div>
        </>
      ) : (
        <p role="status">The token is in the settings above. Copy it now, because it is shown only once.</p>
      )}
      <p>
        Then ask your agent: <em>What should I test in this repository?</em>
      </p>
    </div>
  )
}

type Stdio = NonNullable<NonNullable<Outputs['system']['status']['connect']>['stdio']>

/** The same command as the server prints when it starts. */
function stdioCommand({ command, args, env }: Stdio): string {
  const settings = Object.entries(env).map(([name, value]) => `-e ${name}=${value} `)
  return `claude mcp add assay ${settings.join('')}-- ${[command, ...args].join(' ')}`
}
