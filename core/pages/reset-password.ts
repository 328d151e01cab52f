import { z } from 'zod'
import { safeCallbackUrl } from '../identity/auth/callback-url.ts'
import { findOneTimeToken } from '../identity/users/one-time-token.ts'
import { resetPassword } from '../identity/auth/password/reset.ts'
import { ResetPassword } from '../identity/auth/password/schema.ts'
import type { Context } from '../base/context.ts'
import { AppError } from '../base/errors.ts'
import { readForm } from '../http/body.ts'
import { parseInput } from '../base/input.ts'
import type { Answer, Route } from '../http/route.ts'
import { atOurAddress } from './address.ts'
import { callbackOf } from './callback.ts'
import { field, hidden, problem, wordsFor } from './form.ts'
import { html, page, redirect } from '../http/page.ts'

/** Accepts every value, so that the page can show what is wrong with it. */
const Form = z.object({
  token: z.string().default(''),
  newPassword: z.string().default(''),
  callbackURL: z.string().optional(),
})

interface State {
  token: string
  callbackURL: string | undefined
  problem?: string
}

/** The page that the mailed link opens. Mail scanners open it too, so opening it changes nothing. */
export const showResetPassword: Route = atOurAddress(async (ctx, koa) => {
  const callbackURL = callbackOf(ctx.config, koa)
  const { token } = koa.query
  return typeof token === 'string' && (await isGood(ctx, token)) ? formPage(200, { token, callbackURL }) : badLinkPage()
})

export const submitResetPassword: Route = async (ctx, koa) => {
  const { callbackURL: given, ...input } = await readForm(koa, Form)
  const callbackURL = given === undefined ? undefined : safeCallbackUrl(ctx.config, given)
  try {
    await resetPassword(ctx, parseInput(ResetPassword, input))
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    if (!(await isGood(ctx, input.token))) return badLinkPage()
    return formPage(error.status, { token: input.token, callbackURL, problem: wordsFor(error) })
  }
  const query = new URLSearchParams({ done: 'password-reset', ...(callbackURL === undefined ? {} : { callbackURL }) })
  return redirect(`/sign-in?${query.toString()}`)
}

const isGood = async (ctx: Context, token: string) =>
  (await findOneTimeToken(ctx.db, 'reset_password', token, ctx.now())) !== undefined

function formPage(status: number, { token, callbackURL, problem: said }: State): Answer {
  return page(
    status,
    'Choose a new password',
    html`${problem(said)}
      <form method="post" action="/reset-password">
        ${hidden('token', token)} ${hidden('callbackURL', callbackURL)}
        ${field({
          name: 'newPassword',
          label: 'New password',
          type: 'password',
          autocomplete: 'new-password',
          hint: 'At least 10 characters. For example, combine several unrelated words.',
          minLength: 10,
        })}
        <button>Set password</button>
      </form>
      <p>This ends every session. Then sign in with the new password.</p>`,
  )
}

function badLinkPage(): Answer {
  return page(
    400,
    'This link is not valid',
    html`<p>A link works once, for one hour. This one was used, has expired or is incomplete.</p>
      <p><a href="/forgot-password">Request a new link</a></p>`,
  )
}
