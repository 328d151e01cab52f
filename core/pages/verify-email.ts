import { z } from 'zod'
import { isGoodOneTimeToken } from '../auth/one-time-token.ts'
import { VerifyEmail } from '../auth/password/schema.ts'
import { verifyEmail } from '../auth/password/verify-email.ts'
import { safeCallbackUrl } from '../auth/callback-url.ts'
import { readForm } from '../http/body.ts'
import type { Route } from '../routes.ts'
import { atOurAddress } from './address.ts'
import { callbackOf } from './callback.ts'
import { hidden } from './form.ts'
import { html, page } from './page.ts'

const Form = VerifyEmail.extend({ callbackURL: z.string().optional() })

/** Where the link of the mail leads. Mail scanners open it too, so that looking does nothing. */
export const showVerifyEmail: Route = atOurAddress(async (ctx, koa) => {
  const callbackURL = callbackOf(ctx.config, koa)
  const { token } = koa.query
  if (typeof token !== 'string' || !(await isGoodOneTimeToken(ctx.db, 'verify_email', token, ctx.now()))) {
    return page(
      400,
      'This link is not good any more',
      html`<p>It is good once, for 24 hours; this one was used, is too old, or is not complete.</p>
        <p><a href="/">Go on to Assay</a>. If your address is not confirmed yet, you can have a new link sent.</p>`,
    )
  }
  return page(
    200,
    'Confirm your e-mail address',
    html`<p>Press the button if you have an account at Assay, or want one, with the address that the mail came to.</p>
      <form method="post" action="/verify-email">
        ${hidden('token', token)} ${hidden('callbackURL', callbackURL)}
        <button>This is my address</button>
      </form>`,
  )
})

export const submitVerifyEmail: Route = async (ctx, koa) => {
  const { token, callbackURL } = await readForm(koa, Form)
  const next = safeCallbackUrl(ctx.config, callbackURL ?? '/')
  await verifyEmail(ctx, { token })
  return page(
    200,
    'Your e-mail address is confirmed',
    html`<p>Thank you. <a href="${next}" rel="noreferrer">Go on</a>.</p>`,
  )
}
