import type { IncomingHttpHeaders } from 'node:http'
import { signInWithLink } from '../identity/local-owner/local-link.ts'
import { notFound } from '../base/errors.ts'
import type { Route } from '../http/route.ts'
import { setSessionCookie } from '../identity/sessions/cookie.ts'
import { atOurAddress } from './address.ts'
import { html, page, redirect } from '../http/page.ts'

/** Signs in with the link that local mode prints. Previews and `HEAD` requests do not use it up. */
export const signInLocally: Route = atOurAddress(async (ctx, koa) => {
  if (!ctx.config.local) throw notFound('page', 'Sign-in links exist only in local mode.')
  if (koa.method === 'HEAD' || isPreview(koa.req.headers)) {
    return page(
      503,
      'Open this link yourself',
      html`<p>The link works once. Your browser's preview has not used it.</p>`,
    )
  }
  const { token } = koa.query
  const started = typeof token === 'string' ? await signInWithLink(ctx, token) : undefined
  if (!started) {
    return page(
      400,
      'This link is not valid',
      html`<p>A sign-in link works once, for ten minutes. This one was used, has expired or is incomplete.</p>
        <p>Run <code>npm run sign-in-link</code> in the checkout of Assay to get a new one.</p>
        ${ctx.actor?.kind === 'user' ? html`<p>You are already signed in. <a href="/">Continue</a></p>` : undefined}`,
    )
  }
  setSessionCookie(koa, ctx.config, started.token)
  return redirect('/')
})

function isPreview(headers: IncomingHttpHeaders): boolean {
  return [headers['sec-purpose'], headers['purpose'], headers['x-moz'], headers['x-purpose']]
    .flat()
    .some((purpose) => /prefetch|prerender|preview/i.test(purpose ?? ''))
}
