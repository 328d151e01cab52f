import { createRequire } from 'node:module'
import { z } from 'zod'
import type { Config } from '../../../config.ts'
import { type AnswerLimits, boundedAgent } from '../../../../engines/network/bounded-agent.ts'
import { type CodeHostTokens, presentTokens, Tokens } from '../../../code-host/link-tokens.ts'
import { CodeHostFailure, type CodeHostProblem } from './problems.ts'

/** The types of grant's core function. The package has no types. */
type CreateGrant = (options: {
  config: Record<string, object>
  request: object
  extend: []
}) => (call: {
  method: 'GET'
  params: { provider: string; override?: 'callback' }
  query?: { code: string; state: string }
  session?: { provider: string; state: string; code_verifier: string }
}) => Promise<unknown>

let loaded: CreateGrant | undefined
/** Loads grant for the first sign-in, because it takes 25 ms. */
const createGrant: CreateGrant = (options) =>
  (loaded ??= createRequire(import.meta.url)('grant/lib/grant') as CreateGrant)(options)

type CodeHost = Config['codeHost'] & { client: NonNullable<Config['codeHost']['client']> }
export type ConfiguredCodeHost = Pick<Config, 'baseUrl'> & { codeHost: CodeHost }

const provider = 'code_host'
const tokenLimits: AnswerLimits = { deadlineMs: 10_000, maxBytes: 65_536 }

/** The callback URL. It must be registered at the code host exactly like this. */
export const redirectUri = ({ baseUrl }: Pick<Config, 'baseUrl'>) => `${baseUrl}/api/auth/callback/code_host`

function grantFor({ baseUrl, codeHost }: ConfiguredCodeHost, scopes: string[], limits: AnswerLimits) {
  return createGrant({
    config: {
      [provider]: {
        oauth: 2,
        authorize_url: `${codeHost.url}/login/oauth/authorize`,
        access_url: `${codeHost.url}/login/oauth/access_token`,
        key: codeHost.client.id,
        secret: codeHost.client.secret,
        redirect_uri: redirectUri({ baseUrl }),
        scope: scopes,
        scope_delimiter: ' ',
        state: true,
        pkce: true,
        transport: 'state',
        response: ['tokens', 'raw'],
      },
    },
    request: {
      agent: boundedAgent(new URL(codeHost.url).protocol, limits),
      timeout: limits.deadlineMs,
      headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'Assay' },
      // Makes every redirect an error.
      redirect: { all: true, max: 0 },
    },
    extend: [],
  })
}

const Authorization = z.object({
  location: z.url(),
  session: z.object({ state: z.string().min(32), code_verifier: z.string().min(43) }),
})

/** Begins a sign-in. Returns the URL for the browser, and the secrets to keep until it returns. */
export async function beginAuthorization(
  config: ConfiguredCodeHost,
  scopes: string[],
): Promise<{ url: string; state: string; codeVerifier: string }> {
  const begun = await grantFor(config, scopes, tokenLimits)({ method: 'GET', params: { provider } })
  const { location, session } = Authorization.parse(begun)
  return { url: location, state: session.state, codeVerifier: session.code_verifier }
}

const Answer = z.object({ state: z.object({ response: z.object({ raw: Tokens }) }) })
const Refusal = z.object({ state: z.object({ response: z.object({ error: z.unknown() }) }) })

const refusals = new Map<string, CodeHostProblem>([
  ['bad_verification_code', 'invalid_code'],
  ['invalid_grant', 'invalid_code'],
  ['redirect_uri_mismatch', 'redirect_uri_mismatch'],
  ['incorrect_client_credentials', 'code_host_misconfigured'],
  ['invalid_client', 'code_host_misconfigured'],
  ['unauthorized_client', 'code_host_misconfigured'],
])

/**
 * Exchanges the code for tokens.
 *
 * @throws CodeHostFailure; its message contains no text of the code host except the name of an error
 */
export async function exchangeCode(
  config: ConfiguredCodeHost,
  { code, state, codeVerifier }: { code: string; state: string; codeVerifier: string },
  limits = tokenLimits,
): Promise<CodeHostTokens> {
  const exchange = grantFor(
    config,
    [],
    limits,
  )({
    method: 'GET',
    params: { provider, override: 'callback' },
    query: { code, state },
    session: { provider, state, code_verifier: codeVerifier },
  })
  const answer = await withinDeadline(exchange, limits.deadlineMs)
  const { data } = Answer.safeParse(answer)
  if (!data) throw refusalOf(answer)
  return presentTokens(data.state.response.raw)
}

/** Returns undefined if grant throws, which some responses cause, or does not complete in time. */
async function withinDeadline(exchange: Promise<unknown>, deadlineMs: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), deadlineMs + 500)
  })
  try {
    return await Promise.race([exchange.catch(() => undefined), late])
  } finally {
    clearTimeout(timer)
  }
}

/** GitHub sends the error's name in the `error` of a 200; for other statuses grant puts the body or its own text there. */
function refusalOf(answer: unknown): CodeHostFailure {
  const error = Refusal.safeParse(answer).data?.state.response.error
  const named = z.object({ error: z.string() }).safeParse(error).data?.error ?? error
  const name = typeof named === 'string' && /^[a-z_]{1,60}$/.test(named) ? named : undefined
  const problem = name === undefined ? undefined : refusals.get(name)
  return problem === undefined
    ? new CodeHostFailure(
        'code_host_unreachable',
        `the code host did not return tokens for the code (${name ?? 'no error name'})`,
      )
    : new CodeHostFailure(problem, `the code was refused: ${name}`)
}
