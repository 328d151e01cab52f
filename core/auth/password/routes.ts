import { invalid } from '../../errors.ts'
import { readJson } from '../../http/body.ts'
import type { Route } from '../../routes.ts'
import { setSessionCookie } from '../../sessions/cookie.ts'
import { changePassword } from './change.ts'
import { requestPasswordReset } from './request-reset.ts'
import { resetPassword } from './reset.ts'
import {
  ChangePassword,
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

export const signUpByEmail: Route = async (ctx, koa) => ({
  status: 200,
  body: await signUp(ctx, await readJson(koa, SignUp)),
})

export const signInByEmail: Route = async (ctx, koa) => {
  const { user, token } = await signInWithPassword(ctx, await readJson(koa, SignIn))
  setSessionCookie(koa, ctx.config, token)
  return { status: 200, body: SignedIn.parse({ redirect: false, user }) }
}

export const changeOwnPassword: Route = async (ctx, koa) => ({
  status: 200,
  body: await changePassword(ctx, await readJson(koa, ChangePassword)),
})

export const askForPasswordReset: Route = async (ctx, koa) => ({
  status: 200,
  body: await requestPasswordReset(ctx, await readJson(koa, RequestPasswordReset)),
})

export const resetByToken: Route = async (ctx, koa) => ({
  status: 200,
  body: await resetPassword(ctx, await readJson(koa, ResetPassword)),
})

export const askForVerification: Route = async (ctx, koa) => ({
  status: 200,
  body: await sendVerificationEmail(ctx, await readJson(koa, SendVerificationEmail)),
})

export const verifyByToken: Route = async (ctx, koa) => ({
  status: 200,
  body: await verifyEmail(ctx, await readJson(koa, VerifyEmail)),
})

/** Programs that open the link themselves come here; what it is for happens on the page, at the press of a button. */
const toPage =
  (path: string): Route =>
  async (ctx, koa) => {
    const { token } = koa.query
    if (typeof token !== 'string') throw invalid('token: must be there once')
    const location = new URL(path, ctx.config.baseUrl)
    location.search = koa.querystring
    return { status: 303, headers: { Location: location.href } }
  }

export const showVerification = toPage('/verify-email')
export const showPasswordReset = toPage('/reset-password')
