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

/** Whatever the form holds; what is wrong with it is shown in the page. */
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
      'Nobody can sign up here',
      html`<p>Whoever runs this Assay has closed sign-up. <a href="${signIn}">Sign in</a> if you have an account.</p>`,
    )
  }
  return page(
    status,
    'Create your account',
    html`${problem(state.problem)}
      ${
        signUp === 'invite'
          ? html`<p>
              This is for the first account, and for addresses that were invited. Whoever runs Assay can let everybody
              in:
              <code>SIGN_UP=open</code>.
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
          hint: 'At least 10 characters. A few words that only you put together are good.',
          minLength: 10,
        })}
        <button>Create account</button>
      </form>
      <p>You have one? <a href="${signIn}">Sign in</a></p>`,
  )
}

/** The same words whether the account is new or was there already: the mail knows. */
function sentPage(config: Config): Answer {
  return page(
    200,
    'Look into your mail',
    html`<p>We have sent a message to your address. It says how to go on.</p>
      ${whereMailIs(config)}
      <p><a href="/sign-in">Sign in</a></p>`,
  )
}
