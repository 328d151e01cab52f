/**
 * Every way that signing in with the code host can fail: the `error` in the URL that the browser is redirected to, and
 * the text for the user.
 */
export const codeHostProblems = {
  access_denied: 'You did not allow the sign-in at the code host. Try again, or sign in another way.',
  code_host_refused: 'The code host refused the sign-in. The log of this server contains the reason.',
  code_host_unreachable: 'The code host did not answer correctly. Try again in a moment.',
  code_host_misconfigured:
    'The code host rejects the configuration of this server. The operator must check CODE_HOST_CLIENT_ID and CODE_HOST_CLIENT_SECRET.',
  invalid_state:
    'This sign-in was already completed, took longer than 10 minutes, or began in another browser. Start again here.',
  invalid_code: 'The code host no longer accepts this sign-in. Start again.',
  session_changed: 'You started to link an account as another user, or have signed out since. Sign in and start again.',
  account_not_linked:
    'An account with your e-mail address exists, but its address is not confirmed. Reset its password to prove that the address is yours. Then sign in with the code host again.',
  account_already_linked: 'This code host account belongs to another user. Sign in as that user.',
  sign_up_closed: 'You have no account yet, and new accounts require an invitation. Ask an administrator for one.',
  rate_limited: 'Too many attempts from your network. Wait a few minutes.',
  unexpected: 'Assay failed while signing you in. The server log contains the details.',
} as const satisfies Record<string, string>

export type CodeHostProblem = keyof typeof codeHostProblems | 'redirect_uri_mismatch'

/** Aborts a sign-in and rolls it back. The message is for the log and contains no secret. */
export class CodeHostFailure extends Error {
  override name = 'CodeHostFailure'
  readonly problem: CodeHostProblem
  /** The user whose account it concerns, if known. */
  readonly userId: string | null

  constructor(problem: CodeHostProblem, message: string, userId: string | null = null) {
    super(message)
    this.problem = problem
    this.userId = userId
  }
}
