import type { DataSource, EntityManager } from 'typeorm'
import { isLocalAddress } from '../users/email-address.ts'
import type { UserRow } from '../users/entity.ts'
import { findUserByEmail } from '../users/find-by-email.ts'
import { issueOneTimeToken, type Purpose } from '../users/one-time-token.ts'
import type { Context, Services } from '../../base/context.ts'
import type { JobKind } from '../../jobs/jobs.ts'
import type { MailJob } from './schema.ts'
import {
  addedToOrganizationText,
  invitationText,
  type MailText,
  passwordChangedText,
  resetPasswordText,
  signUpAttemptText,
  verifyEmailText,
} from './texts.ts'
import { createMailTransport, MailRefused, type Transport } from './transport.ts'

export const mailQueue = 'mail'

export type IsInvited = (db: EntityManager, email: string) => Promise<boolean>

/** Queues a mail in the caller's transaction. Does not look the address up. */
export function enqueueMail(ctx: Pick<Context, 'db' | 'jobs'>, mail: MailJob): Promise<void> {
  return ctx.jobs.enqueue(ctx.db, mailQueue, mail)
}

/**
 * Sends queued mail. Retries with backoff for about two hours while the mail server is unavailable.
 *
 * @param isInvited - called right before an invitation is sent, because it may have been withdrawn or accepted
 */
export function mailJob(services: Services, dataSource: DataSource, isInvited: IsInvited): JobKind<MailJob> {
  const transport = createMailTransport(services.config, services.log)
  return {
    queue: mailQueue,
    retryLimit: 12,
    retryDelaySeconds: 1,
    heartbeatSeconds: 10,
    expireInSeconds: 60,
    concurrency: 2,
    handle: (mail, signal) => sendMail({ services, db: dataSource.manager, transport, isInvited }, mail, signal),
    onExhausted: async ({ kind }) =>
      services.log.error({ kind }, 'a mail was not sent: the SMTP server refused it for hours'),
  }
}

interface Sender {
  services: Services
  db: EntityManager
  transport: Transport
  isInvited: IsInvited
}

async function sendMail(
  { services, db, transport, isInvited }: Sender,
  mail: MailJob,
  signal: AbortSignal,
): Promise<void> {
  if (isLocalAddress(mail.email)) return
  if (mail.kind === 'invitation' && !(await isInvited(db, mail.email))) return
  const user = await findUserByEmail(db, mail.email)
  const message = user ? await compose(services, db, user, mail) : composeForStranger(services, mail)
  // The address has no account, or the mail is no longer needed.
  if (!message) return
  try {
    await transport.send(user?.email ?? mail.email, message, signal)
  } catch (error) {
    services.log.warn({ err: error, kind: mail.kind, userId: user?.id }, 'a mail was not sent')
    if (!(error instanceof MailRefused)) throw error
  }
}

/** Without an account, an address receives nothing but invitations. */
function composeForStranger({ config }: Services, { kind, email }: MailJob): MailText | undefined {
  return kind === 'invitation' ? invitationText(config.baseUrl, email) : undefined
}

async function compose(
  { config: { baseUrl }, now }: Services,
  db: EntityManager,
  user: UserRow,
  { kind, callbackUrl }: MailJob,
): Promise<MailText | undefined> {
  const link = async (page: string, purpose: Purpose) => {
    const { token } = await issueOneTimeToken(db, purpose, user.id, now())
    const query = new URLSearchParams({ token, ...(callbackUrl === undefined ? {} : { callbackURL: callbackUrl }) })
    return `${baseUrl}/${page}?${query.toString()}`
  }
  if (kind === 'reset_password') {
    return resetPasswordText(baseUrl, user.email, await link('reset-password', 'reset_password'))
  }
  if (kind === 'sign_up_attempt') return signUpAttemptText(baseUrl, user.email)
  if (kind === 'password_changed') return passwordChangedText(baseUrl, user.email)
  if (kind === 'invitation') return invitationText(baseUrl, user.email)
  if (kind === 'added_to_organization') return addedToOrganizationText(baseUrl, user.email)
  if (user.emailVerified) return undefined
  return verifyEmailText(baseUrl, user.email, await link('verify-email', 'verify_email'))
}
