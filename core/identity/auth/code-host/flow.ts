import type { Context } from '../../../base/context.ts'
import { decrypt, encrypt, sha256 } from '../../../base/crypto.ts'

export const flowLifetimeMs = 600_000

/** A sign-in that waits for the browser to return from the code host. */
export interface Flow {
  codeVerifier: string
  /** Absolute, from `safeCallbackUrl`. */
  callbackUrl: string
  errorCallbackUrl: string | null
  /** The user who links an account; null for a sign-in. */
  userId: string | null
}

interface FlowKey {
  state: string
  /** From the browser's cookie. */
  browserId: string
}

type FlowContext = Pick<Context, 'db' | 'config' | 'now'>

export async function saveFlow(ctx: FlowContext, { state, browserId }: FlowKey, flow: Flow): Promise<void> {
  const stateHash = sha256(state)
  await ctx.db.query(
    `INSERT INTO oauth_flows (state_hash, browser_hash, provider, code_verifier, callback_url, error_callback_url,
                              user_id, expires_at)
     VALUES ($1, $2, 'code_host', $3, $4, $5, $6, $7)`,
    [
      stateHash,
      sha256(browserId),
      encrypt(ctx.config.secretKey, verifierPlace(stateHash), flow.codeVerifier),
      flow.callbackUrl,
      flow.errorCallbackUrl,
      flow.userId,
      new Date(ctx.now().getTime() + flowLifetimeMs),
    ],
  )
}

/**
 * Deletes and returns the flow in one statement, so that only one of several parallel returns gets it. Returns undefined
 * if the state is unknown, expired, used, or belongs to another browser, whose flow stays.
 */
export async function takeFlow(ctx: FlowContext, { state, browserId }: FlowKey): Promise<Flow | undefined> {
  const stateHash = sha256(state)
  const [rows] = await ctx.db.query<[FoundFlow[], number]>(
    `DELETE FROM oauth_flows
      WHERE state_hash = $1 AND browser_hash = $2 AND provider = 'code_host' AND expires_at > $3
      RETURNING code_verifier, callback_url, error_callback_url, user_id`,
    [stateHash, sha256(browserId), ctx.now()],
  )
  const [found] = rows
  return (
    found && {
      codeVerifier: decrypt(ctx.config.secretKey, verifierPlace(stateHash), found.code_verifier),
      callbackUrl: found.callback_url,
      errorCallbackUrl: found.error_callback_url,
      userId: found.user_id,
    }
  )
}

interface FoundFlow {
  code_verifier: string
  callback_url: string
  error_callback_url: string | null
  user_id: string | null
}

const verifierPlace = (stateHash: string) => `oauth_flows/${stateHash}/code_verifier`
