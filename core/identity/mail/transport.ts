import { createTransport } from 'nodemailer'
import type { Config } from '../../config.ts'
import type { Logger } from '../../base/log.ts'
import type { MailText } from './texts.ts'

export interface Transport {
  /** @throws MailRefused when trying again is pointless; MailNotSent when it is not */
  send(to: string, message: MailText, signal: AbortSignal): Promise<void>
}

/** The server took a look at the message or its recipient and will never have it. */
export class MailRefused extends Error {
  override name = 'MailRefused'
}

/** The server was away, busy or not ready for us. */
export class MailNotSent extends Error {
  override name = 'MailNotSent'
}

const connectMs = 10_000
const totalMs = 30_000

/** Over SMTP where a server is configured. Elsewhere the log is the mailbox: one line with the whole message. */
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
          // As an object it is one address, whatever is in it; as text it would be a list.
          to: { name: '', address: to },
          subject,
          text,
          // Keeps holiday notices from answering.
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
 * Servers put addresses and whatever else into their errors, and the queue keeps those; only codes go on. A password
 * that the server does not take is our own mistake and can be put right, so that one is not final.
 */
function describeFailure(error: unknown): MailRefused | MailNotSent {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  const reply = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : undefined
  // Without a reply nothing of the message has been seen yet: these words are about the connection.
  const details =
    reply === undefined ? `: ${error instanceof Error ? error.message : String(error)}` : `, answer ${reply}`
  const words = `The mail server did not take a message: ${code}${details}.`
  const aboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE'
  return aboutMessage && (reply === undefined || reply >= 500) ? new MailRefused(words) : new MailNotSent(words)
}
