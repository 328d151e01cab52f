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

/** Where the link of the mail leads. Mail scanners open it too, so that looking does nothing. */
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
  return page(
    200,
    'Your e-mail address is confirmed',
    html`<p>Thank you. <a href="${next}" rel="noreferrer">Go on</a>.</p>`,
  )
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
      <p>This confirms that you have an account at Assay with the address that the mail came to.</p>
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
                hint: 'The one that you chose when you made the account.',
              })
        }
        <button>This is my address</button>
      </form>
      <p>
        Was it not you who made the account? Leave this page. If you want the account nonetheless,
        <a href="/forgot-password">choose a new password</a>: that ends what somebody else has set up.
      </p>`,
  )
}

function badLinkPage(): Answer {
  return page(
    400,
    'This link is not good any more',
    html`<p>It is good once, for 24 hours; this one was used, is too old, or is not complete.</p>
      <p><a href="/">Go on to Assay</a>. If your address is not confirmed yet, you can have a new link sent.</p>`,
  )
}
