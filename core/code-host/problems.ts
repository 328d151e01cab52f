import type { Config } from '../config.ts'
import { type AppError, conflict, invalid, timeout } from '../base/errors.ts'

/** Explains to a person how to link an account. Agents pass it on. */
export function howToLink({ baseUrl, codeHost }: Pick<Config, 'baseUrl' | 'codeHost'>): string {
  if (!codeHost.client) {
    return 'Linking is not configured: the operator must set CODE_HOST_CLIENT_ID and CODE_HOST_CLIENT_SECRET.'
  }
  return (
    `To link one, the user opens ${baseUrl}/settings and presses the button there, or a page calls POST /api/auth/link-social ` +
    'with { "provider": "code_host", "scopes": ["repo"] }. Without "repo", only public repositories are readable.'
  )
}

export const noAccount = (config: Config): AppError =>
  conflict(`You have not linked an account of the code host. ${howToLink(config)}`)

export const linkAgain = (config: Config): AppError =>
  conflict(
    'The code host does not accept the token of your linked account any more: it was revoked or has expired. ' +
      `Link the account again. ${howToLink(config)}`,
  )

export const misconfigured = (): AppError =>
  invalid(
    'The code host rejects the configuration of this server. The operator must check CODE_HOST_CLIENT_ID ' +
      'and CODE_HOST_CLIENT_SECRET.',
  )

/** @param why - a clause about the response: `it took longer than 10 s` */
export const noUsableAnswer = (why: string, cause?: unknown): AppError =>
  timeout(`The code host sent no usable answer: ${why}. Try again later.`, { cause })
