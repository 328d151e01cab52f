import { useQuery } from '@tanstack/react-query'
import { type Outputs, trpc } from '../../api.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'

/** The linked account of the code host, and the forms that link one. */
export function CodeHostSection() {
  const link = useQuery(trpc.github.getLink.queryOptions())
  return (
    <Section title={link.data?.name ?? 'Code host'} id="code-host">
      <Loaded query={link}>{(found) => <CodeHostLink link={found} />}</Loaded>
    </Section>
  )
}

function CodeHostLink({ link: { available, name, linked } }: { link: Outputs['github']['getLink'] }) {
  return (
    <div className="stack">
      {linked ? (
        <p>
          <Status of="active" text="Linked" /> to {linked.login === null ? 'your account' : <b>{linked.login}</b>}, for{' '}
          {linked.readsPrivate ? 'public and private repositories' : 'public repositories only'}.
        </p>
      ) : (
        <p>
          {available
            ? `Link your ${name} account to list your repositories and to let Assay read private ones.`
            : 'Linking is not configured on this server. The operator must set CODE_HOST_CLIENT_ID and CODE_HOST_CLIENT_SECRET.'}
        </p>
      )}
      {available ? (
        <div className="row">
          {linked?.readsPrivate ? (
            <LinkForm isPrivate text="Link again" />
          ) : (
            <>
              <LinkForm isPrivate text={linked ? 'Let Assay read private repositories' : `Link ${name}`} />
              {linked ? undefined : <LinkForm isPrivate={false} text="Link for public repositories only" />}
            </>
          )}
        </div>
      ) : undefined}
    </div>
  )
}

/** Leaves the dashboard for the code host, which leads back to the account settings. */
function LinkForm({ isPrivate, text }: { isPrivate: boolean; text: string }) {
  return (
    <form method="post" action="/link/code-host">
      {isPrivate ? <input type="hidden" name="private" value="yes" /> : undefined}
      <button type="submit" className={isPrivate ? undefined : 'plain'}>
        {text}
      </button>
    </form>
  )
}
