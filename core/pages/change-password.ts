import { z } from 'zod'
import { changePassword } from '../identity/auth/password/change.ts'
import { ChangePassword } from '../identity/auth/password/schema.ts'
import { requireSession } from '../base/context.ts'
import { AppError } from '../base/errors.ts'
import { readForm } from '../http/body.ts'
import { parseInput } from '../base/input.ts'
import type { Answer, Route } from '../http/route.ts'
import { atOurAddress } from './address.ts'
import { withHeadersOf } from './answer-with-page.ts'
import { field, problem, wordsFor } from './form.ts'
import { html, page, redirect } from '../http/page.ts'

/** Accepts every value, so that the page can show what is wrong with it. */
const Form = z.object({ currentPassword: z.string().default(''), newPassword: z.string().default('') })

export const showChangePassword: Route = atOurAddress(async (ctx) => {
  requireSession(ctx)
  return formPage(200)
})

export const submitChangePassword: Route = async (ctx, koa) => {
  requireSession(ctx)
  const input = await readForm(koa, Form)
  try {
    await changePassword(ctx, parseInput(ChangePassword, input))
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500 || error.status === 401) throw error
    return withHeadersOf(error, formPage(error.status, wordsFor(error)))
  }
  return redirect('/settings?done=password-changed')
}

function formPage(status: number, said?: string): Answer {
  return page(
    status,
    'Change your password',
    html`${problem(said)}
      <form method="post" action="/change-password">
        ${field({
          name: 'currentPassword',
          label: 'Current password',
          type: 'password',
          autocomplete: 'current-password',
        })}
        ${field({
          name: 'newPassword',
          label: 'New password',
          type: 'password',
          autocomplete: 'new-password',
          hint: 'At least 10 characters. For example, combine several unrelated words.',
          minLength: 10,
        })}
        <button>Change password</button>
      </form>
      <p>
        This ends all other sessions. If you have no password or forgot it,
        <a href="/forgot-password">request a reset link</a>.
        <a href="/">Back</a>
      </p>`,
  )
}
