/** A failure that whoever called gets to read; the message says what failed and what to do next. */
export class UserError extends Error {
  override name = 'UserError'
}
