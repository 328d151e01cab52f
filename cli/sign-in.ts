import { z } from 'zod'
import { cleanLine, shorten } from '../client/sanitize.ts'
import { type CreateToken, CreatedToken } from '../core/identity/tokens/schema.ts'
import type { Scope } from '../core/base/schema.ts'
import { CommandError, exitCodes, explainFailure, unreachable } from './failure.ts'

/** The scopes that the commands require. Users create tokens with org:admin or audit:read on purpose. */
export const loginScopes: Scope[] = [
  'projects:read',
  'projects:write',
  'analysis:run',
  'tests:read',
  'tests:run',
  'tests:write',
  'artifacts:read',
  'webhooks:read',
  'webhooks:write',
  'org:read',
  'tokens:manage',
  'profile:read',
]

const Created = z.object({ result: z.object({ data: CreatedToken }) })
const Refusal = z.object({ message: z.string() })
const RpcRefusal = z.object({ error: z.object({ message: z.string() }) })

interface SignIn {
  baseUrl: string
  email: string
  password: string
  /** Name of the new token. */
  name: string
  signal: AbortSignal
}

/** Signs in with a password, creates a token, and signs out again. */
export async function createLoginToken({ baseUrl, email, password, name, signal }: SignIn): Promise<string> {
  const session = new Session(baseUrl, signal)
  await session.post('/api/auth/sign-in/email', { email, password })
  try {
    const made = await session.post('/trpc/tokens.create', { name, scopes: loginScopes } satisfies CreateToken)
    const { result } = Created.parse(made)
    return result.data.token
  } finally {
    // The session also expires by itself.
    await session.post('/api/auth/sign-out', {}).catch(() => {})
  }
}

/** Calls with the cookie of the session, which each response may replace. */
class Session {
  readonly #baseUrl: string
  readonly #signal: AbortSignal
  #cookie: string | undefined

  constructor(baseUrl: string, signal: AbortSignal) {
    this.#baseUrl = baseUrl
    this.#signal = signal
  }

  async post(path: string, body: unknown): Promise<unknown> {
    const response = await this.#send(path, body)
    const [cookie] = response.headers.getSetCookie().map((one) => one.split(';')[0])
    if (cookie !== undefined) this.#cookie = cookie
    const answer: unknown = await response.json().catch(() => undefined)
    if (response.ok && answer !== undefined) return answer
    throw this.#refusal(response.status, answer)
  }

  async #send(path: string, body: unknown): Promise<Response> {
    try {
      return await fetch(`${this.#baseUrl}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(this.#cookie ? { cookie: this.#cookie } : {}) },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.any([this.#signal, AbortSignal.timeout(30_000)]),
      })
    } catch (error) {
      if (this.#signal.aborted) throw error
      const kind = error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'unreachable'
      throw explainFailure({ kind }, { baseUrl: this.#baseUrl })
    }
  }

  #refusal(status: number, answer: unknown): CommandError {
    const message = Refusal.safeParse(answer).data?.message ?? RpcRefusal.safeParse(answer).data?.error.message
    if (message === undefined) return explainFailure({ kind: 'not_core' }, { baseUrl: this.#baseUrl })
    const words = shorten(cleanLine(message), 500)
    if (status === 429 || status >= 500) return unreachable(words)
    return new CommandError(exitCodes.notAllowed, status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN', words)
  }
}
