import { z } from 'zod'
import { type RestHandler, restHandler } from '../../../http/handler.ts'
import { setSessionCookie } from '../../sessions/cookie.ts'
import { changePassword } from './change.ts'
import { requestPasswordReset } from './request-reset.ts'
import { resetPassword } from './reset.ts'
import {
  Accepted,
  ChangedPassword,
  ChangePassword,
  Finished,
  RequestPasswordReset,
  ResetPassword,
  SendVerificationEmail,
  SignedIn,
  SignIn,
  SignUp,
  VerifyEmail,
} from './schema.ts'
import { signInWithPassword } from './sign-in.ts'
import { signUp } from './sign-up.ts'
import { sendVerificationEmail, verifyEmail } from './verify-email.ts'

export const signUpByEmail = restHandler(
  {
    name: 'signUpWithEmail',
    summary: 'Creates an account',
    description: 'The answer is the same whether or not the address has an account. A mail explains the next step.',
    body: SignUp,
    answers: { 200: Accepted },
  },
  async (ctx, { body }) => ({ status: 200, body: await signUp(ctx, body) }),
)

export const signInByEmail = restHandler(
  {
    name: 'signInWithEmail',
    summary: 'Signs in with a password and sets the session cookie',
    body: SignIn,
    answers: { 200: SignedIn },
  },
  async (ctx, { body }, koa) => {
    const { user, token } = await signInWithPassword(ctx, body)
    setSessionCookie(koa, ctx.config, token)
    return { status: 200, body: { redirect: false, user } }
  },
)

export const changeOwnPassword = restHandler(
  {
    name: 'changePassword',
    summary: 'Changes the password of the signed-in user',
    body: ChangePassword,
    answers: { 200: ChangedPassword },
    session: 'required',
  },
  async (ctx, { body }) => ({ status: 200, body: await changePassword(ctx, body) }),
)

export const askForPasswordReset = restHandler(
  {
    name: 'requestPasswordReset',
    summary: 'Sends a password reset link',
    description: 'The answer is the same whether or not the address has an account.',
    body: RequestPasswordReset,
    answers: { 200: Accepted },
  },
  async (ctx, { body }) => ({ status: 200, body: await requestPasswordReset(ctx, body) }),
)

export const resetByToken = restHandler(
  {
    name: 'resetPassword',
    summary: 'Sets a new password with the token from the mail and ends every session',
    body: ResetPassword,
    answers: { 200: Finished },
  },
  async (ctx, { body }) => ({ status: 200, body: await resetPassword(ctx, body) }),
)

export const askForVerification = restHandler(
  {
    name: 'sendVerificationEmail',
    summary: 'Sends a link that verifies the e-mail address',
    body: SendVerificationEmail,
    answers: { 200: Accepted },
    session: 'optional',
  },
  async (ctx, { body }) => ({ status: 200, body: await sendVerificationEmail(ctx, body) }),
)

export const verifyByToken = restHandler(
  {
    name: 'verifyEmail',
    summary: 'Verifies an e-mail address with the token from the mail',
    body: VerifyEmail,
    answers: { 200: Finished },
  },
  async (ctx, { body }) => ({ status: 200, body: await verifyEmail(ctx, body) }),
)

const TokenOfMail = z.object({ token: z.string('must be present exactly once') })

/** Redirects clients of better-auth to the page, where the user confirms with a button: mail scanners open every link. */
const toPage = (path: string, name: string, summary: string): RestHandler =>
  restHandler(
    { name, summary, query: TokenOfMail, answers: { 303: `Redirects to the page ${path}` } },
    async (ctx, _input, koa) => {
      const location = new URL(path, ctx.config.baseUrl)
      location.search = koa.querystring
      return { status: 303, headers: { Location: location.href } }
    },
  )

export const showVerification = toPage(
  '/verify-email',
  'openVerificationPage',
  'Redirects to the page that verifies an e-mail address',
)
export const showPasswordReset = toPage(
  '/reset-password',
  'openPasswordResetPage',
  'Redirects to the page that sets a new password',
)
