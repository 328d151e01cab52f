import { type Context, requireUser } from './context.ts'
import { forbidden, invalid } from './errors.ts'
import { requiredScopes } from '../scopes.ts'

/**
 * Lets the call through a door: there is a caller, and a token has the scope that the door needs. Asks nothing of the
 * database.
 *
 * @param door - a procedure's path or a route's method and path, as in `scopes.ts`
 */
export function requireScope(ctx: Context, door: string): void {
  const actor = requireUser(ctx)
  const scope = requiredScopes[door]
  if (scope === undefined) throw forbidden(`${door} is not open.`)
  if (scope !== null && actor.kind === 'token' && !actor.scopes.includes(scope)) {
    throw forbidden(`This needs the scope ${scope}, which your token lacks. Create a token with it.`, {
      hint: { kind: 'missing_scope', scope },
    })
  }
}

/** Old clients send `userEmail`; it decides nothing, and naming somebody else is refused before any look-up. */
export function requireOwnEmail(ctx: Context, userEmail: unknown): void {
  const { email } = requireUser(ctx)
  if (userEmail === undefined || userEmail === null) return
  if (typeof userEmail !== 'string') throw invalid('userEmail: must be one address')
  if (userEmail.toLowerCase() !== email.toLowerCase()) {
    throw forbidden('userEmail is not the address of the credential that you call with. Leave it out.')
  }
}
