import { z } from 'zod'
import { requestPasswordReset } from '../identity/auth/password/request-reset.ts'
import { RequestPasswordReset } from '../identity/auth/password/schema.ts'
import type { Config } from '../config.ts'
import { AppError } from '../base/errors.ts'
import { readForm } from '../http/body.ts'
import { parseInput } from '../base/input.ts'
import type { Answer, Route } from '../http/route.ts'
import { atOurAddress } from './address.ts'
import { withHeadersOf } from './answer-with-page.ts'
import { field, note, problem, whereMailIs, wordsFor } from './form.ts'
import { html, page, redirect } from '../http/page.ts'

const Form = z.object({ email: z.string().default('') })

interface State {
  email?: string | undefined
  problem?: string | undefined
}

export const showForgotPassword: Route = atOurAddress(async ({ config }, koa) =>
  koa.query['done'] === 'sent' ? sentPage(config) : formPage(200, {}),
)

export const submitForgotPassword: Route = async (ctx, koa) => {
  const input = await readForm(koa, Form)
  try {
    await requestPasswordReset(ctx, parseInput(RequestPasswordReset, input))
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    return withHeadersOf(error, formPage(error.status, { email: input.email, problem: wordsFor(error) }))
  }
  return redirect('/forgot-password?done=sent')
}

function formPage(status: number, state: State): Answer {
  return page(
    status,
    'Reset your password',
    html`${problem(state.problem)}
      <p>Enter your e-mail address. We will send you a link to set a new password.</p>
      <form method="post" action="/forgot-password">
        ${field({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', value: state.email })}
        <button>Send link</button>
      </form>
      <p><a href="/sign-in">Back to sign-in</a></p>`,
  )
}

/** Does not reveal whether the account exists. */
function sentPage(config: Config): Answer {
  return page(
    200,
    'Check your e-mail',
    html`${note('If an account with this address exists, we sent it a link. The link is valid for one hour.')}
      ${whereMailIs(config)}
      <p><a href="/sign-in">Back to sign-in</a></p>`,
  )
}
