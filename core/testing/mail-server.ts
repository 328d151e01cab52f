import { once } from 'node:events'
import { domainToASCII } from 'node:url'
import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  /** The recipients of the SMTP envelope, not of the message headers. */
  recipients: string[]
  /** With lower-case names, including repeated headers. */
  headers: [string, string][]
  body: string
  /** The first link with a one-time token, and that token. */
  link: string
  token: string
}

export interface MailServer extends AsyncDisposable {
  url: string
  port: number
  messages: ReceivedMail[]
  /** The number of attempts to deliver a message. */
  attempts: number
  /** The SMTP code that rejects every recipient; undefined accepts them. */
  refuseWith: number | undefined
  /** Waits for the next message to this address and removes it. */
  take(recipient: string): Promise<ReceivedMail>
}

/** Starts a real SMTP server on loopback that stores messages. */
export async function createMailServer({ port = 0 } = {}): Promise<MailServer> {
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onRcptTo(_address, _session, done) {
      server.attempts += 1
      const code = server.refuseWith
      done(code === undefined ? null : Object.assign(new Error('not now'), { responseCode: code }))
    },
    onData(stream, session, done) {
      const recipients = session.envelope.rcptTo.map(({ address }) => asWeWrite(address))
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.once('end', () => {
        server.messages.push(parse(Buffer.concat(chunks).toString(), recipients))
        done()
      })
    },
  })
  // The client detects broken connections.
  smtp.on('error', () => undefined)
  smtp.listen(port, '127.0.0.1')
  await once(smtp.server, 'listening')
  const address = smtp.server.address()
  if (address === null || typeof address === 'string') throw new Error('The mail server has no port.')

  const taken = new Set<ReceivedMail>()
  const server: MailServer = {
    url: `smtp://127.0.0.1:${address.port}`,
    port: address.port,
    messages: [],
    attempts: 0,
    refuseWith: undefined,
    async take(recipient) {
      const deadline = Date.now() + 15_000
      while (Date.now() < deadline) {
        const found = server.messages.find((mail) => !taken.has(mail) && mail.recipients.includes(recipient))
        if (found) {
          taken.add(found)
          return found
        }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error(`No mail to ${recipient} came.`)
    },
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => smtp.close(resolve))
    },
  }
  return server
}

/** The server library converts domains to Unicode. */
function asWeWrite(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`
}

function parse(raw: string, recipients: string[]): ReceivedMail {
  const end = raw.indexOf('\r\n\r\n')
  const headers = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    })
  const encoding = headers.find(([name]) => name === 'content-transfer-encoding')?.[1]
  const written = raw.slice(end + 4)
  const body = encoding === 'quoted-printable' ? decodeQuotedPrintable(written) : written
  const link = /https?:\S+[?&]token=\S+/.exec(body)?.[0] ?? ''
  const token = link === '' ? '' : (new URL(link).searchParams.get('token') ?? '')
  return { recipients, headers, body, link, token }
}

function decodeQuotedPrintable(text: string): string {
  const bytes = text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
