import { type Context, requireUser } from './context.ts'
import { forbidden, invalid } from './errors.ts'
import { requiredScopes } from '../scopes.ts'

/**
 * Requires a caller, and from a token the scope of the procedure or route. Needs no database call.
 *
 * @param entryPoint - a procedure's path or a route's method and path, as in `scopes.ts`
 */
export function requireScope(ctx: Context, entryPoint: string): void {
  const actor = requireUser(ctx)
  const scope = requiredScopes[entryPoint]
  if (scope === undefined) throw forbidden(`${entryPoint} is not available.`)
  if (scope !== null && actor.kind === 'token' && !actor.scopes.includes(scope)) {
    throw forbidden(`This call requires the scope ${scope}, which your token lacks. Create a token with this scope.`, {
      hint: { kind: 'missing_scope', scope },
    })
  }
}

/** Old clients send `userEmail`. It has no effect, and another address than the caller's is rejected. */
export function requireOwnEmail(ctx: Context, userEmail: unknown): void {
  const { email } = requireUser(ctx)
  if (userEmail === undefined || userEmail === null) return
  if (typeof userEmail !== 'string') throw invalid('userEmail: must be a single address')
  if (userEmail.toLowerCase() !== email.toLowerCase()) {
    throw forbidden('userEmail: must be the address of the calling user. Leave it out.')
  }
}
