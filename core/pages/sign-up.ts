import { z } from 'zod'
import { SignUp } from '../identity/auth/password/schema.ts'
import { signUp } from '../identity/auth/password/sign-up.ts'
import type { Config } from '../config.ts'
import { AppError } from '../base/errors.ts'
import { readForm } from '../http/body.ts'
import { parseInput } from '../base/input.ts'
import type { Answer, Route } from '../http/route.ts'
import { atOurAddress } from './address.ts'
import { callbackOf, withCallback } from './callback.ts'
import { withHeadersOf } from './answer-with-page.ts'
import { field, hidden, problem, whereMailIs, wordsFor } from './form.ts'
import { html, page, redirect } from '../http/page.ts'

/** Accepts every value, so that the page can show what is wrong with it. */
const Form = z.object({
  name: z.string().default(''),
  email: z.string().default(''),
  password: z.string().default(''),
  callbackURL: z.string().optional(),
})

interface State {
  callbackURL?: string | undefined
  name?: string | undefined
  email?: string | undefined
  problem?: string | undefined
}

export const showSignUp: Route = atOurAddress(async ({ config }, koa) =>
  koa.query['done'] === 'sent' ? sentPage(config) : signUpPage(config, 200, { callbackURL: callbackOf(config, koa) }),
)

export const submitSignUp: Route = async (ctx, koa) => {
  const input = await readForm(koa, Form)
  try {
    await signUp(ctx, parseInput(SignUp, input))
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    const { name, email, callbackURL } = input
    const state = { name, email, callbackURL, problem: wordsFor(error) }
    return withHeadersOf(error, signUpPage(ctx.config, error.status, state))
  }
  return redirect('/sign-up?done=sent')
}

function signUpPage({ signUp }: Config, status: number, state: State): Answer {
  const signIn = withCallback('/sign-in', state.callbackURL)
  if (signUp === 'closed') {
    return page(
      403,
      'Sign-up is closed',
      html`<p>This server does not create new accounts. <a href="${signIn}">Sign in</a> if you have an account.</p>`,
    )
  }
  return page(
    status,
    'Create your account',
    html`${problem(state.problem)}
      ${
        signUp === 'invite'
          ? html`<p>
              Only the first user and invited addresses can create an account. The operator can set
              <code>SIGN_UP=open</code> to let everyone in.
            </p>`
          : undefined
      }
      <form method="post" action="/sign-up">
        ${hidden('callbackURL', state.callbackURL)}
        ${field({ name: 'name', label: 'Name', type: 'text', autocomplete: 'name', value: state.name })}
        ${field({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', value: state.email })}
        ${field({
          name: 'password',
          label: 'Password',
          type: 'password',
          autocomplete: 'new-password',
          hint: 'At least 10 characters. For example, combine several unrelated words.',
          minLength: 10,
        })}
        <button>Create account</button>
      </form>
      <p>Already have an account? <a href="${signIn}">Sign in</a></p>`,
  )
}

/** Does not reveal whether the account existed; the mail does. */
function sentPage(config: Config): Answer {
  return page(
    200,
    'Check your e-mail',
    html`<p>We sent a message to your address. It explains the next step.</p>
      ${whereMailIs(config)}
      <p><a href="/sign-in">Sign in</a></p>`,
  )
}
