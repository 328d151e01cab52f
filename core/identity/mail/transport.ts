import { createTransport } from 'nodemailer'
import type { Config } from '../../config.ts'
import type { Logger } from '../../base/log.ts'
import type { MailText } from './texts.ts'

export interface Transport {
  /** @throws MailRefused if retrying is pointless; MailNotSent if a retry may succeed */
  send(to: string, message: MailText, signal: AbortSignal): Promise<void>
}

/** The mail server permanently rejects the message or its recipient. */
export class MailRefused extends Error {
  override name = 'MailRefused'
}

/** The mail server was unavailable or busy, or rejected the connection. */
export class MailNotSent extends Error {
  override name = 'MailNotSent'
}

const connectMs = 10_000
const totalMs = 30_000

/** Sends over SMTP if a server is configured. Otherwise writes each message to the log. */
export function createMailTransport({ mail }: Pick<Config, 'mail'>, log: Logger): Transport {
  if (mail.smtpUrl === undefined) {
    return {
      async send(to, message) {
        log.info({ mail: { from: mail.from, to, ...message } }, 'mail is written to the log; set SMTP_URL to send it')
      },
    }
  }
  const smtp = createTransport({
    url: mail.smtpUrl,
    connectionTimeout: connectMs,
    dnsTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: totalMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send(to, { subject, text }, signal) {
      try {
        await smtp.sendMail({
          from: mail.from,
          // nodemailer would parse text as a list of addresses.
          to: { name: '', address: to },
          subject,
          text,
          // Prevents automatic replies.
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.any([signal, AbortSignal.timeout(totalMs)]),
        })
      } catch (error) {
        throw describeFailure(error)
      }
    },
  }
}

/**
 * Keeps only codes, because the queue stores the error and servers put addresses into their replies. A rejected SMTP
 * password is not final: the administrator can correct it.
 */
function describeFailure(error: unknown): MailRefused | MailNotSent {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  const reply = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : undefined
  // Without a reply, the server has not seen the message, so the text describes the connection and is safe to keep.
  const details =
    reply === undefined ? `: ${error instanceof Error ? error.message : String(error)}` : `, answer ${reply}`
  const text = `The mail server did not accept a message: ${code}${details}.`
  const aboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE'
  return aboutMessage && (reply === undefined || reply >= 500) ? new MailRefused(text) : new MailNotSent(text)
}
