import type { Context } from '../base/context.ts'
import { type AppError, asAppError, isFault } from '../base/errors.ts'
import type { Answer, Route } from '../http/route.ts'
import { wordsFor } from './form.ts'
import { problemPage } from '../http/page.ts'

/**
 * Responds with a page, also when the request fails. Pages ignore API tokens, because only REST and RPC check their
 * scopes.
 */
export async function answerWithPage(
  createContext: () => Promise<Context>,
  route: Route,
  koa: Parameters<Route>[1],
): Promise<Answer> {
  try {
    const ctx = await createContext()
    return await route(ctx.actor?.kind === 'token' ? { ...ctx, actor: null } : ctx, koa)
  } catch (thrown) {
    const error = asAppError(thrown)
    if (!error || isFault(error)) throw thrown
    return withHeadersOf(
      error,
      problemPage(error.status, titles[error.status] ?? 'The request failed', wordsFor(error)),
    )
  }
}

const titles: Record<number, string> = {
  401: 'You are not signed in',
  403: 'Not allowed',
  404: 'Page not found',
  429: 'Too many attempts',
  503: 'Assay is overloaded',
}

/** Adds the headers of the error, such as `Retry-After`. */
export function withHeadersOf(error: AppError, answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, ...error.headers } }
}
