import type { Command } from 'commander'
import { type CoreClient, isRefusal } from '../../client/core-client.ts'
import { findCredentials, forgetLogin } from '../../client/credentials.ts'
import { openContext } from '../context.ts'

export function addLogout(program: Command): void {
  program
    .command('logout')
    .description('log out by deleting the saved token')
    .option('--revoke', 'also revoke the token on the server')
    .action(logout)
}

async function logout({ revoke = false }: { revoke?: boolean }, command: Command): Promise<void> {
  const { settings, out, clientFor } = openContext(command)
  // A token of the environment is not part of the login.
  const { baseUrl, token, source } = await findCredentials({ ...settings, token: undefined })
  const login = source === 'assay login' ? token : undefined
  const isRevoked = revoke && login !== undefined && (await revokeToken(clientFor(baseUrl, login)))
  const isForgotten = await forgetLogin(settings, baseUrl)
  out.answer({ server: baseUrl, forgotten: isForgotten, revoked: isRevoked }, () => {
    const end = isRevoked ? ' The token is revoked.' : ' The token remains valid until it is revoked or expires.'
    if (isForgotten) out.line(`Logged out of ${baseUrl}.${end}`)
    else out.line(`You were not logged in to ${baseUrl}.`)
  })
  if (settings.token !== undefined) out.warn('SVC_API_TOKEN is set, and commands still use it until you unset it.')
}

/** Returns false where the token was invalid already. Any other failure keeps the login, so that the user can retry. */
async function revokeToken(core: CoreClient): Promise<boolean> {
  try {
    const { id: tokenId } = await core.tokens.current.query()
    await core.tokens.revoke.mutate({ tokenId })
    return true
  } catch (error) {
    if (isRefusal(error, 'UNAUTHORIZED')) return false
    throw error
  }
}
