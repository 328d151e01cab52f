import type { Outputs } from '../../api.ts'
import { Snippet } from '../../parts/copy.tsx'
import { SecretOnce } from '../../parts/secret.tsx'

/** Shows a new token once, with the ways to use it. */
export function TokenSecret({ created, onClose }: { created: Outputs['tokens']['create']; onClose: () => void }) {
  const address = location.origin
  return (
    <SecretOnce title={`Token ${created.name}`} secret={created.token} label="Token" onClose={onClose}>
      <div className="stack">
        <h3>For the command line and MCP servers over stdio</h3>
        <Snippet
          label="Environment variables"
          text={`export SVC_BASE_URL=${address}\nexport SVC_API_TOKEN=${created.token}`}
        />
        <h3>For a CI job</h3>
        <Snippet label="Secret of a GitHub repository" text="gh secret set SVC_API_TOKEN" />
        <h3>For a script</h3>
        <Snippet
          label="Call with curl"
          text={`curl -s ${address}/trpc/tokens.current -H "Authorization: Bearer $SVC_API_TOKEN"`}
        />
      </div>
    </SecretOnce>
  )
}
