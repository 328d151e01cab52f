/** So many points in so many seconds. */
export interface Rule {
  points: number
  seconds: number
}

const minute = 60
const hour = 3_600

/**
 * What bounds guessing and mail, whatever `RATE_LIMIT` says.
 *
 * `signInByAccountAndAddress` stops a guesser without touching the owner, who calls from elsewhere. A guesser with many
 * addresses is stopped by `signInByAccount`, and that one can be turned against the owner: whoever spends a hundred
 * wrong passwords in an hour, from ten addresses or more, keeps an account from signing in with its password for what
 * is left of that hour. Without the rule such a guesser would have as many tries as addresses. A hundred is far above
 * what people mistype and leaves 2,400 guesses a day, hopeless against ten characters; sessions, tokens and the sign-in
 * with the code host go on, and a success gives its point back.
 */
export const rules = {
  signInByAccountAndAddress: { points: 10, seconds: 15 * minute },
  signInByAddress: { points: 30, seconds: 15 * minute },
  signInByAccount: { points: 100, seconds: hour },
  signUpByAddress: { points: 20, seconds: hour },
  mailByAccountAndAddress: { points: 5, seconds: hour },
  mailByAccount: { points: 20, seconds: hour },
  mailByAddress: { points: 20, seconds: hour },
  invitationByAddress: { points: 100, seconds: hour },
  invitationByAccount: { points: 10, seconds: hour },
  // A report asks for its parts, some of them for hundreds at once.
  viewByLink: { points: 2_000, seconds: minute },
  oauthByAddress: { points: 60, seconds: 15 * minute },
} satisfies Record<string, Rule>

export type RuleName = keyof typeof rules
