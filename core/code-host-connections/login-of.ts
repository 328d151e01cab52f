import { z } from 'zod'
import { parseAnswer } from '../code-host/hosts/answers.ts'
import type { CallHost } from '../code-host/hosts/api.ts'

const User = z.object({ login: z.string().min(1) })

/** Returns the login of the account of a client, at GitHub or Gitea. */
export async function loginOf(call: CallHost): Promise<string> {
  const { data } = await call((client) => client.request('GET /user'))
  return parseAnswer(User, data).login
}
