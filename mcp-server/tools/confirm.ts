import { z } from 'zod'
import { cleanLine, shorten } from '../../client/sanitize.ts'
import { UserError } from '../../client/user-error.ts'

/** The argument that destructive tools add to their own. */
export const ConfirmArgument = z.object({
  confirm: z.string().max(1_000).optional().describe('Name of the object'),
})

/** What a call would destroy. */
export interface Loss {
  /** The name of the object. */
  name: string
  /** What would happen, in one sentence. */
  what: string
}

export interface Question extends Loss {
  tool: string
  /** The arguments of the call: consent covers no other call. */
  input: unknown
}

/** `asked`: the client repeats the call with the user's answer. */
export type Decision = 'yes' | 'no' | 'asked'

/** Asks the user of the client. */
export type Ask = (question: Question) => Promise<Decision>

const maxNameBytes = 200

/**
 * Passes where the user agrees, or where the client cannot ask its user and the call repeats the name.
 *
 * @throws UserError with the name to repeat, or with the user's refusal
 */
export async function requireConsent(question: Question, given: unknown, ask?: Ask): Promise<'yes' | 'asked'> {
  const { tool } = question
  const what = cleanLine(question.what)
  // A name of invisible characters alone cannot be repeated.
  const wholeName = cleanLine(question.name) || tool
  const name = shorten(wholeName, maxNameBytes)
  const howTo = `To confirm, call ${tool} again with confirm ${JSON.stringify(name)}.`
  const isGiven = typeof given === 'string'
  if (isGiven && ![name, wholeName].includes(cleanLine(given))) {
    throw new UserError(`${tool} was not run: confirm is not the name of the object. ${what} ${howTo}`)
  }
  // A manipulated agent knows the name too, so the user decides where the client can ask.
  if (!ask) {
    if (isGiven) return 'yes'
    throw new UserError(`${tool} was not run, because it needs confirmation. ${what} ${howTo}`)
  }
  const decision = await ask({ ...question, name, what })
  if (decision !== 'no') return decision
  throw new UserError(`${tool} was not run: the user declined. Nothing was changed.`)
}
