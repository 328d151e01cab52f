/** What the script-free pages did before they led to the account settings, by the value of `done`. */
export const doneTexts: Record<string, string> = {
  'verification-sent': 'A link was sent to your e-mail address. It is valid for one day.',
  linked: 'Your code host account is linked.',
  'password-changed': 'Your password was changed, and all other sessions were ended.',
}

const unknownProblem = 'The account could not be linked. Try again; the log of this server contains the reason.'

const problemTexts: Record<string, string> = {
  access_denied: 'You did not allow the link at the code host. Nothing was changed.',
  code_host_refused: 'The code host refused the link. The log of this server contains the reason.',
  code_host_unreachable: 'The code host did not answer correctly. Try again in a moment.',
  code_host_misconfigured:
    'The code host rejects the configuration of this server. The operator must check CODE_HOST_CLIENT_ID and CODE_HOST_CLIENT_SECRET.',
  invalid_state: 'The link was already completed, took longer than 10 minutes, or began in another browser. Try again.',
  invalid_code: 'The code host no longer accepts this attempt. Try again.',
  session_changed: 'You began to link an account as another user, or signed out meanwhile. Try again.',
  account_already_linked: 'This code host account belongs to another user. Sign in as that user.',
  rate_limited: 'There were too many attempts from your network. Wait a few minutes.',
}

/** Explains the `error` with which the code host's sign-in led back here. */
export function problemText(code: string): string {
  return Object.hasOwn(problemTexts, code) ? (problemTexts[code] ?? unknownProblem) : unknownProblem
}
