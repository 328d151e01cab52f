import { z } from 'zod'
import { codeHostProblems } from '../identity/auth/code-host/problems.ts'
import { SignIn } from '../identity/auth/password/schema.ts'
import { signInWithPassword } from '../identity/auth/password/sign-in.ts'
import type { Config } from '../config.ts'
import { AppError } from '../base/errors.ts'
import { readForm } from '../http/body.ts'
import { parseInput } from '../base/input.ts'
import type { Answer, Route } from '../http/route.ts'
import { setSessionCookie } from '../identity/sessions/cookie.ts'
import { atOurAddress } from './address.ts'
import { callbackOf, goOn, withCallback } from './callback.ts'
import { codeHostName } from '../code-host/code-host-name.ts'
import { withHeadersOf } from './answer-with-page.ts'
import { button, field, hidden, note, problem, sentenceFor, wordsFor } from './form.ts'
import { type Html, html, page } from '../http/page.ts'

const news: Record<string, string> = {
  'signed-out': 'You are signed out.',
  'password-reset': 'Your password was changed. Sign in with the new one.',
}

const didNotWork = 'Sign-in failed. Try again. If it fails again, the log of Assay has the reason.'

/** Accepts every value, so that the page can show what is wrong with it. */
const Form = z.object({
  email: z.string().default(''),
  password: z.string().default(''),
  callbackURL: z.string().optional(),
})

interface State {
  callbackURL?: string | undefined
  email?: string | undefined
  problem?: string | undefined
  news?: string | undefined
}

export const showSignIn: Route = atOurAddress(async (ctx, koa) => {
  const callbackURL = callbackOf(ctx.config, koa)
  const { error, done } = koa.query
  const said = error === undefined ? undefined : (sentenceFor(codeHostProblems, error) ?? didNotWork)
  if (ctx.actor?.kind === 'user') return signedInAlready(ctx.actor.email, callbackURL, said)
  return signInPage(ctx.config, 200, {
    callbackURL,
    problem: said,
    news: sentenceFor(news, done) ?? ctx.sessionProblem?.message,
  })
})

export const submitSignIn: Route = async (ctx, koa) => {
  const input = await readForm(koa, Form)
  try {
    const { token } = await signInWithPassword(ctx, parseInput(SignIn, input))
    setSessionCookie(koa, ctx.config, token)
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    const { email, callbackURL } = input
    return withHeadersOf(error, signInPage(ctx.config, error.status, { email, callbackURL, problem: wordsFor(error) }))
  }
  return goOn(ctx.config, input.callbackURL)
}

/** The sign-in page with every available method. */
export function signInPage(config: Config, status: number, state: State): Answer {
  const { callbackURL, email } = state
  const codeHost = config.codeHost.client && codeHostName(config)
  return page(
    status,
    'Sign in',
    html`${problem(state.problem)} ${note(state.news)} ${config.local ? howToGetIn : undefined}
      ${codeHost ? codeHostForm(codeHost, callbackURL) : undefined}
      <form method="post" action="/sign-in">
        ${hidden('callbackURL', callbackURL)}
        ${field({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', value: email })}
        ${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
        <button>Sign in</button>
      </form>
      <p>
        <a href="/forgot-password">Forgot your password?</a>
      </p>
      ${signUpPointer(config, callbackURL)}`,
  )
}

const howToGetIn = html`<p class="note">
  Local mode: run <code>npm run sign-in-link</code> in the folder of Assay, in a second terminal, and open the link that
  it prints.
</p>`

function codeHostForm(name: string, callbackURL: string | undefined): Html {
  return html`<form method="post" action="/sign-in/code-host">
      ${hidden('callbackURL', callbackURL)}
      <button>Continue with ${name}</button>
    </form>
    <p class="or">or with your password</p>`
}

function signUpPointer({ signUp, local }: Config, callbackURL: string | undefined): Html | undefined {
  if (signUp === 'closed' || (signUp === 'invite' && local)) return undefined
  const question = signUp === 'open' ? 'No account yet?' : 'Invited, or the first user?'
  return html`<p>${question} <a href="${withCallback('/sign-up', callbackURL)}">Create your account</a></p>`
}

/** Does not redirect: if the other site did not see the session, that would be a loop. */
function signedInAlready(email: string, callbackURL: string | undefined, said: string | undefined): Answer {
  return page(
    200,
    'You are signed in',
    html`${problem(said)}
      <p>You are signed in as <strong>${email}</strong>.</p>
      <p><a href="${callbackURL ?? '/'}">${callbackURL === undefined ? 'Your account' : 'Continue'}</a></p>
      ${button('/sign-out', 'Sign out')}`,
  )
}
