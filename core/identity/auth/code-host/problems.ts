/**
 * Every way that signing in with the code host can end badly: the `error` that comes along to the page to which the
 * browser is sent, and what that page may say to people.
 */
export const codeHostProblems = {
  access_denied: 'You did not allow the sign-in at the code host. Try again, or sign in another way.',
  code_host_refused: 'The code host refused the sign-in. Whoever runs Assay finds the reason in its log.',
  code_host_unreachable: 'The code host did not answer as it should. Try again in a moment.',
  code_host_misconfigured:
    'The code host rejects the configuration of this server. The operator must check CODE_HOST_CLIENT_ID and CODE_HOST_CLIENT_SECRET.',
  invalid_state:
    'This sign-in was finished before, took longer than 10 minutes, or was begun in another browser. Begin again here.',
  invalid_code: 'The code host does not know this sign-in any more. Begin again.',
  session_changed: 'You began to link an account as somebody else, or were signed out since. Sign in and begin again.',
  account_not_linked:
    'There is an account with your e-mail address, which nobody has confirmed yet. Reset its password: that proves that the address is yours. Then sign in with the code host again.',
  account_already_linked: 'This account of the code host belongs to another user here. Sign in as that user.',
  sign_up_closed: 'There is no account for you yet, and new ones are made by invitation only. Ask for one.',
  rate_limited: 'Too many tries from your network. Wait a few minutes.',
  unexpected: 'Something went wrong on our side. The log has the details.',
} as const satisfies Record<string, string>

export type CodeHostProblem = keyof typeof codeHostProblems | 'redirect_uri_mismatch'

/** Ends a sign-in and drops what it did so far. The message is for the log, and holds nothing secret. */
export class CodeHostFailure extends Error {
  override name = 'CodeHostFailure'
  readonly problem: CodeHostProblem
  /** Whose account it was about, where that is known. */
  readonly userId: string | null

  constructor(problem: CodeHostProblem, message: string, userId: string | null = null) {
    super(message)
    this.problem = problem
    this.userId = userId
  }
}
