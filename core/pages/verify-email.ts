import { z } from 'zod'
import { safeCallbackUrl } from '../identity/auth/callback-url.ts'
import { findOneTimeToken } from '../identity/users/one-time-token.ts'
import { VerifyEmail } from '../identity/auth/password/schema.ts'
import { verifyEmail } from '../identity/auth/password/verify-email.ts'
import type { Context } from '../base/context.ts'
import { AppError } from '../base/errors.ts'
import { readForm } from '../http/body.ts'
import { parseInput } from '../base/input.ts'
import type { Answer, Route } from '../http/route.ts'
import { atOurAddress } from './address.ts'
import { callbackOf } from './callback.ts'
import { withHeadersOf } from './answer-with-page.ts'
import { field, hidden, problem, wordsFor } from './form.ts'
import { html, page } from '../http/page.ts'

const Form = z.object({
  token: z.string().default(''),
  password: z.string().optional(),
  callbackURL: z.string().optional(),
})

/** The page that the mailed link opens. Mail scanners open it too, so opening it changes nothing. */
export const showVerifyEmail: Route = atOurAddress(async (ctx, koa) => {
  const callbackURL = callbackOf(ctx.config, koa)
  const { token } = koa.query
  return typeof token === 'string' ? formPage(ctx, 200, { token, callbackURL }) : badLinkPage()
})

export const submitVerifyEmail: Route = async (ctx, koa) => {
  const { callbackURL, ...input } = await readForm(koa, Form)
  const next = safeCallbackUrl(ctx.config, callbackURL ?? '/')
  try {
    await verifyEmail(ctx, parseInput(VerifyEmail, input))
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    const shown = await formPage(ctx, error.status, { token: input.token, callbackURL, problem: wordsFor(error) })
    return withHeadersOf(error, shown)
  }
  return page(200, 'Your e-mail address is confirmed', html`<p><a href="${next}" rel="noreferrer">Continue</a></p>`)
}

interface State {
  token: string
  callbackURL: string | undefined
  problem?: string
}

async function formPage(ctx: Context, status: number, state: State): Promise<Answer> {
  const owner = await findOneTimeToken(ctx.db, 'verify_email', state.token, ctx.now())
  if (owner === undefined) return badLinkPage()
  const signedIn = ctx.actor?.kind === 'user' && ctx.actor.userId === owner
  return page(
    status,
    'Confirm your e-mail address',
    html`${problem(state.problem)}
      <p>This confirms that the account with this address is yours.</p>
      <form method="post" action="/verify-email">
        ${hidden('token', state.token)} ${hidden('callbackURL', state.callbackURL)}
        ${
          signedIn
            ? undefined
            : field({
                name: 'password',
                label: 'Password',
                type: 'password',
                autocomplete: 'current-password',
                hint: 'The password that you chose when you created the account.',
              })
        }
        <button>Confirm address</button>
      </form>
      <p>
        If you did not create this account, close this page. To take it over,
        <a href="/forgot-password">reset its password</a>, which ends its sessions and revokes its tokens.
      </p>`,
  )
}

function badLinkPage(): Answer {
  return page(
    400,
    'This link is not valid',
    html`<p>A link works once, for 24 hours. This one was used, has expired or is incomplete.</p>
      <p>If your address is not confirmed yet, request a new link on <a href="/">your account page</a>.</p>`,
  )
}
