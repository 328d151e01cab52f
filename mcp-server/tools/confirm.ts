import { z } from 'zod'
import { cleanLine, shorten } from '../../client/sanitize.ts'
import { UserError } from '../../client/user-error.ts'

/** The argument that every tool has that destroys something. */
export const ConfirmArgument = z.object({
  confirm: z.string().max(1_000).optional().describe('Its name, to confirm'),
})

/** What a call would destroy. */
export interface Loss {
  /** The object's own. */
  name: string
  /** What would happen, in one sentence. */
  what: string
}

export interface Question extends Loss {
  tool: string
  /** The arguments of the call: consent to one is none to another. */
  input: unknown
}

/** `asked`: the answer has yet to be given, and comes with the same call once more. */
export type Decision = 'yes' | 'no' | 'asked'

/** Puts a question to whoever uses the client. */
export type Ask = (question: Question) => Promise<Decision>

const longestName = 200

/**
 * Passes where whoever is asked agrees, or, where nobody can be asked, the name was repeated.
 *
 * @throws UserError with the name to repeat, or saying that nothing has happened
 */
export async function requireConsent(question: Question, given: unknown, ask?: Ask): Promise<'yes' | 'asked'> {
  const { tool } = question
  const what = cleanLine(question.what)
  // A name may consist of what nobody sees, and then cannot be repeated.
  const wholeName = cleanLine(question.name) || tool
  const name = shorten(wholeName, longestName)
  const howTo = `If that is meant, call ${tool} again with confirm ${JSON.stringify(name)}.`
  const isGiven = typeof given === 'string'
  if (isGiven && ![name, wholeName].includes(cleanLine(given))) {
    throw new UserError(`${tool} was not run: confirm is not the name of what is meant. ${what} ${howTo}`)
  }
  // An agent that was talked into it knows the name too: where somebody can be asked, that somebody decides.
  if (!ask) {
    if (isGiven) return 'yes'
    throw new UserError(`${tool} was not run, for it has to be confirmed. ${what} ${howTo}`)
  }
  const decision = await ask({ ...question, name, what })
  if (decision !== 'no') return decision
  throw new UserError(`${tool} was not run: whoever was asked did not agree. Nothing has changed.`)
}
