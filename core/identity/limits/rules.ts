/** Allows `points` attempts per period of `seconds`. */
export interface Rule {
  points: number
  seconds: number
}

const minute = 60
const hour = 3_600

/**
 * The limits on guessing and on mail. They apply with every `RATE_LIMIT`.
 *
 * `signInByAccountAndAddress` stops an attacker without locking out the owner, who calls from another address.
 * `signInByAccount` stops an attacker with many addresses. It can lock out the owner: an attacker who sends a hundred
 * wrong passwords in an hour from ten or more addresses blocks password sign-in for the rest of that hour. Without the
 * rule, the number of guesses would grow with the number of addresses. A hundred is far above what users mistype, and
 * allows 2,400 guesses a day, which is hopeless against ten characters. Sessions, tokens and the sign-in with the code
 * host keep working, and a successful sign-in returns its point.
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
  // A browser that opens an HTML report may fetch hundreds of files at once.
  viewByLink: { points: 2_000, seconds: minute },
  oauthByAddress: { points: 60, seconds: 15 * minute },
} satisfies Record<string, Rule>

export type RuleName = keyof typeof rules
