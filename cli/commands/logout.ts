import type { Command } from 'commander'
import { type CoreClient, coreFailure } from '../../client/core-client.ts'
import { findCredentials, forgetLogin } from '../../client/credentials.ts'
import { openContext } from '../context.ts'

export function addLogout(program: Command): void {
  program
    .command('logout')
    .description('forget the token of the server that you are logged in to')
    .option('--revoke', 'make the token useless everywhere, too')
    .action(logout)
}

async function logout({ revoke = false }: { revoke?: boolean }, command: Command): Promise<void> {
  const { settings, out, clientFor } = openContext(command)
  // What the environment says is not ours to forget.
  const { baseUrl, token, source } = await findCredentials({ ...settings, token: undefined })
  const login = source === 'assay login' ? token : undefined
  const isRevoked = revoke && login !== undefined && (await revokeToken(clientFor(baseUrl, login)))
  const isForgotten = await forgetLogin(settings, baseUrl)
  out.answer({ server: baseUrl, forgotten: isForgotten, revoked: isRevoked }, () => {
    const end = isRevoked ? ' Its token is revoked.' : ' Its token stays good until it is revoked or expires.'
    if (isForgotten) out.line(`Logged out of ${baseUrl}.${end}`)
    else out.line(`You were not logged in to ${baseUrl}.`)
  })
  if (settings.token !== undefined) out.warn('SVC_API_TOKEN is set, and goes on being used until you unset it.')
}

/** False where it was no longer good anyway. Any other failure leaves the login as it is, so that it can be tried again. */
async function revokeToken(core: CoreClient): Promise<boolean> {
  try {
    const { id: tokenId } = await core.tokens.current.query()
    await core.tokens.revoke.mutate({ tokenId })
    return true
  } catch (error) {
    const failure = coreFailure(error)
    if (failure?.kind === 'refused' && failure.code === 'UNAUTHORIZED') return false
    throw error
  }
}
