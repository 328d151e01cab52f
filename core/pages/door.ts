import type { Context } from '../base/context.ts'
import { type AppError, asAppError, isFault } from '../base/errors.ts'
import type { Answer, Route } from '../http/route.ts'
import { wordsFor } from './form.ts'
import { html, page } from '../http/page.ts'

/**
 * Answers with a page, also when the call fails. Pages are for browsers: an API token is nobody here, since its scopes
 * are checked at other doors.
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
      page(
        error.status,
        titles[error.status] ?? 'That did not work',
        html`<p>${wordsFor(error)}</p>
          <p><a href="/">Back to the first page</a></p>`,
      ),
    )
  }
}

const titles: Record<number, string> = {
  401: 'You are not signed in',
  403: 'That is not allowed',
  404: 'There is nothing here',
  429: 'Too many attempts',
  503: 'Assay is overloaded',
}

/** The answer to a failed call with what belongs to its error, such as `Retry-After`. */
export function withHeadersOf(error: AppError, answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, ...error.headers } }
}
