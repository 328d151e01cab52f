import { z } from 'zod'
import { ensureBrowserId } from '../identity/auth/code-host/browser.ts'
import { startCodeHostLink, startCodeHostSignIn } from '../identity/auth/code-host/start.ts'
import { AppError } from '../base/errors.ts'
import { readForm } from '../http/body.ts'
import type { Route } from '../http/route.ts'
import { withCallback } from './callback.ts'
import { codeHostName } from '../code-host/code-host-name.ts'
import { withHeadersOf } from './answer-with-page.ts'
import { wordsFor } from './form.ts'
import { leaveFor } from '../http/page.ts'
import { signInPage } from './sign-in.ts'

const Form = z.object({ callbackURL: z.string().optional() })

/** The button "Continue with" of the sign-in page. */
export const continueWithCodeHost: Route = async (ctx, koa) => {
  const { callbackURL } = await readForm(koa, Form)
  const input = {
    provider: 'code_host' as const,
    callbackURL: callbackURL ?? '/',
    errorCallbackURL: withCallback('/sign-in', callbackURL),
    disableRedirect: false,
  }
  try {
    const { url } = await startCodeHostSignIn(ctx, input, ensureBrowserId(koa, ctx.config))
    return leaveFor(url, codeHostName(ctx.config))
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    return withHeadersOf(error, signInPage(ctx.config, error.status, { callbackURL, problem: wordsFor(error) }))
  }
}

const LinkForm = z.object({ private: z.literal('yes').optional() })

/** The buttons of the account settings. */
export const linkOwnCodeHost: Route = async (ctx, koa) => {
  const form = await readForm(koa, LinkForm)
  const input = {
    provider: 'code_host' as const,
    callbackURL: '/settings?done=linked',
    errorCallbackURL: '/settings',
    ...(form.private ? { scopes: ['repo' as const] } : {}),
    disableRedirect: false,
  }
  const { url } = await startCodeHostLink(ctx, input, ensureBrowserId(koa, ctx.config))
  return leaveFor(url, codeHostName(ctx.config))
}
