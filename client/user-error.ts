/** A failure whose message is for the caller: what failed, and what to do next. */
export class UserError extends Error {
  override name = 'UserError'
}
