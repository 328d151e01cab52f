import { z } from 'zod'
import type { Config } from '../../../config.ts'
import { asAppError } from '../../../base/errors.ts'
import { readLimited } from '../../../../engines/network/read-limited.ts'
import { canonicalEmail, isLocalAddress } from '../../users/email-address.ts'
import { CodeHostFailure } from './problems.ts'

/** The user who signed in, as the code host describes it. */
export interface CodeHostProfile {
  accountId: string
  login: string
  name: string
  avatar: string | null
  /** Canonical; null if the code host has not verified an address. */
  verifiedEmail: string | null
}

const User = z.object({
  id: z.int().positive(),
  login: z.string().regex(/^[A-Za-z0-9_.-]{1,100}$/),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
})

const Emails = z.array(z.object({ email: z.string(), verified: z.boolean(), primary: z.boolean().optional() }))

interface ProfileLimits {
  deadlineMs: number
  userBytes: number
  emailsBytes: number
}

const profileLimits: ProfileLimits = { deadlineMs: 10_000, userBytes: 262_144, emailsBytes: 65_536 }

/**
 * Fetches the profile of the token's owner from the code host.
 *
 * @throws CodeHostFailure
 */
export async function fetchProfile(
  codeHost: Config['codeHost'],
  accessToken: string,
  { deadlineMs, userBytes, emailsBytes }: ProfileLimits = profileLimits,
): Promise<CodeHostProfile> {
  const signal = AbortSignal.timeout(deadlineMs)
  const [user, emails] = await Promise.all([
    fetchJson(`${codeHost.apiUrl}/user`, User, { accessToken, signal, maxBytes: userBytes }),
    fetchJson(`${codeHost.apiUrl}/user/emails`, Emails, { accessToken, signal, maxBytes: emailsBytes }),
  ])
  return {
    accountId: String(user.id),
    login: user.login,
    name: tidyName(user.name) || user.login,
    avatar: httpAddress(user.avatar_url),
    verifiedEmail: chooseEmail(emails, noReplyDomain(codeHost)),
  }
}

/** The domain of the no-reply addresses that the code host gives to its accounts. */
export const noReplyDomain = ({ url }: Pick<Config['codeHost'], 'url'>) => `users.noreply.${new URL(url).hostname}`

async function fetchJson<Schema extends z.ZodType>(
  url: string,
  schema: Schema,
  { accessToken, signal, maxBytes }: { accessToken: string; signal: AbortSignal; maxBytes: number },
): Promise<z.infer<Schema>> {
  const failure = (why: string) => new CodeHostFailure('code_host_unreachable', `GET ${url}: ${why}`)
  let status: number
  let body: string | undefined
  try {
    const response = await fetch(url, {
      headers: {
        Accept: 'application/vnd.github+json',
        Authorization: `Bearer ${accessToken}`,
        'User-Agent': 'Assay',
      },
      redirect: 'manual',
      signal,
    })
    status = response.status
    body = status === 200 ? await readLimited(response, maxBytes) : await response.body?.cancel().then(() => '')
  } catch (error) {
    throw failure(error instanceof Error && error.name === 'TimeoutError' ? 'took too long' : 'incomplete response')
  }
  if (status !== 200) throw failure(`answered ${status}`)
  if (body === undefined) throw failure(`more than ${maxBytes} bytes`)
  const parsed = schema.safeParse(parseJson(body))
  if (!parsed.success) throw failure('does not match the format of GitHub’s API')
  return parsed.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the primary address if it is verified, else the first verified one. Skips no-reply addresses. */
function chooseEmail(emails: z.infer<typeof Emails>, noReply: string): string | null {
  const candidates = emails
    .filter(({ verified }) => verified)
    .toSorted((a, b) => Number(b.primary ?? false) - Number(a.primary ?? false))
  for (const { email } of candidates) {
    const canonical = canonicalOrUndefined(email)
    if (canonical === undefined || canonical.endsWith(`@${noReply}`) || isLocalAddress(canonical)) continue
    // The code host verified this exact mailbox, not another one with the same canonical form.
    if (localPart(email.normalize('NFC').toLowerCase()) === localPart(canonical)) return canonical
  }
  return null
}

const localPart = (email: string) => email.slice(0, email.lastIndexOf('@'))

function canonicalOrUndefined(email: string): string | undefined {
  try {
    return canonicalEmail(email)
  } catch (error) {
    if (asAppError(error)) return undefined
    throw error
  }
}

function tidyName(name: string | null | undefined): string {
  const tidy = (name ?? '')
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
  return tidy.slice(0, 100).toWellFormed()
}

function httpAddress(text: string | null | undefined): string | null {
  if (text == null || text.length > 2_000 || !URL.canParse(text)) return null
  const { protocol, href } = new URL(text)
  return protocol === 'https:' || protocol === 'http:' ? href : null
}
