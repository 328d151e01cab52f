import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Outputs, queryClient, trpc } from '../../api.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { plural } from '../../parts/number-text.ts'
import { Empty } from '../../parts/page.tsx'
import { useNow } from '../../parts/time.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { announce } from '../../shell/notices.ts'
import { AccountFrame } from '../account/frame.tsx'
import { CreateToken } from './create.tsx'
import { TokenSecret } from './secret.tsx'
import { TokenTable } from './table.tsx'
import { stateOf, type Token } from './token.ts'

const route = getRouteApi('/settings/tokens')

/** Which tokens can act for the user, and what each may do. */
export function TokensPage() {
  const { all, create } = route.useSearch()
  const navigate = route.useNavigate()
  const tokens = useQuery(trpc.tokens.list.queryOptions())
  const [created, setCreated] = useState<Outputs['tokens']['create']>()
  const [revoking, setRevoking] = useState<Token>()
  const now = useNow()
  const valid = tokens.data?.filter((token) => stateOf(token, now) === 'valid') ?? []
  const closeForm = () => void navigate({ search: { all }, replace: true })
  return (
    <AccountFrame
      title="Tokens"
      lead={
        tokens.data
          ? `${plural(valid.length, 'valid token')} can act for you. Each may do only what its scopes and your role allow.`
          : 'Tokens let agents, CI and scripts act for you.'
      }
      actions={
        <Link className="button" to="/settings/tokens" search={{ all, create: 'agent' }}>
          Create token
        </Link>
      }
    >
      <Loaded query={tokens}>
        {(found) => {
          const shown = all ? found : valid
          const others = found.length - valid.length
          return (
            <>
              {shown.length === 0 ? <NoTokens /> : <TokenTable tokens={shown} onRevoke={setRevoking} />}
              {others > 0 ? (
                <p className="row">
                  <Link className="button plain" to="/settings/tokens" search={{ all: all ? undefined : true }}>
                    {all
                      ? 'Show only valid tokens'
                      : `Show ${plural(others, 'expired or revoked token', 'expired and revoked tokens')}`}
                  </Link>
                </p>
              ) : undefined}
            </>
          )
        }}
      </Loaded>
      {create && !created ? (
        <CreateToken
          onClose={closeForm}
          onCreated={(token) => {
            setCreated(token)
            closeForm()
            void queryClient.invalidateQueries(trpc.tokens.pathFilter())
          }}
        />
      ) : undefined}
      {created ? <TokenSecret created={created} onClose={() => setCreated(undefined)} /> : undefined}
      {revoking ? <Revoke token={revoking} onClose={() => setRevoking(undefined)} /> : undefined}
    </AccountFrame>
  )
}

function NoTokens() {
  return (
    <Empty title="No valid tokens">
      <p>A token lets a coding agent, a CI job or a script call Assay for you, with only the rights that you choose.</p>
      <p className="row">
        <Link className="button" to="/settings/tokens" search={{ create: 'agent' }}>
          Create a token for an agent
        </Link>
        <Link className="button plain" to="/settings/tokens" search={{ create: 'ci' }}>
          Create a token for CI
        </Link>
      </p>
    </Empty>
  )
}

function Revoke({ token, onClose }: { token: Token; onClose: () => void }) {
  const revoke = useMutation(
    trpc.tokens.revoke.mutationOptions({
      onSuccess: async () => {
        announce(`The token ${token.name} was revoked.`)
        onClose()
        await queryClient.invalidateQueries(trpc.tokens.pathFilter())
      },
    }),
  )
  return (
    <Confirm
      title="Revoke token"
      action="Revoke token"
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate({ tokenId: token.id })}
      onClose={onClose}
    >
      <p>
        <strong>
          <ShortText text={token.name} />
        </strong>
        , which ends in <code>{token.lastFour}</code>, will stop working at once, and it cannot be restored. Tokens that
        it created stay valid.
      </p>
    </Confirm>
  )
}
