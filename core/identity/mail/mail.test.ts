import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Config } from '../../config.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createUser } from '../../testing/factories.ts'
import { dumpDatabase } from '../../testing/dump.ts'
import { createMailServer } from '../../testing/mail-server.ts'
import { enqueueMail } from './job.ts'
import { createMailTransport, MailNotSent, MailRefused } from './transport.ts'

const over = (url: string): Pick<Config, 'mail'> => ({ mail: { smtpUrl: url, from: 'Assay <assay@example.com>' } })
const silent = pino({ level: 'silent' })
const send = (app: TestApp, email: string) =>
  enqueueMail({ db: app.dataSource.manager, jobs: app.services.jobs }, { kind: 'reset_password', email })
const mailJobs = (app: TestApp) =>
  app.dataSource.query<{ state: string; data: object; output: unknown }[]>(
    "SELECT state, data, output FROM pgboss.job WHERE name = 'mail'",
  )

test('a mail is plain text to one recipient, with a subject and a link', async () => {
  await using mail = await createMailServer()
  await using app = await createTestApp(over(mail.url))
  const { email } = await createUser(app, { email: "zoé.o'neil@xn--mnchen-3ya.example" })
  await send(app, email)
  const { headers, body, link, recipients } = await mail.take(email)
  expect(recipients).toEqual([email])
  const values = Object.fromEntries(headers)
  expect(values).toMatchObject({
    from: 'Assay <assay@example.com>',
    subject: 'Set a new password',
    'auto-submitted': 'auto-generated',
    'content-type': 'text/plain; charset=utf-8',
  })
  expect(headers.filter(([name]) => name === 'to')).toHaveLength(1)
  expect(headers.some(([name]) => name === 'bcc' || name === 'cc')).toBe(false)
  expect(link).toMatch(new RegExp(`^${app.url}/reset-password\\?token=[\\w-]{43}$`))
  expect(body).toContain(`\r\n${link}\r\n`)
})

test('an address without an account gets no mail', async () => {
  await using mail = await createMailServer()
  await using app = await createTestApp(over(mail.url))
  await send(app, 'nobody@example.com')
  await expect.poll(async () => (await mailJobs(app))[0]?.state, { timeout: 5_000 }).toBe('completed')
  expect(mail.attempts).toBe(0)
})

test('a mail arrives after the server was first busy and then unavailable', async () => {
  await using first = await createMailServer()
  await using app = await createTestApp(over(first.url))
  const { email } = await createUser(app)
  first.refuseWith = 451
  await send(app, email)
  await expect.poll(() => first.attempts, { timeout: 5_000 }).toBeGreaterThan(0)
  await first[Symbol.asyncDispose]()

  const [waiting] = await mailJobs(app)
  expect(waiting).toMatchObject({ data: { kind: 'reset_password', email } })
  await using second = await createMailServer({ port: first.port })
  const { link } = await second.take(email)
  expect((await fetch(link)).status).toBe(200)
  expect(second.messages).toHaveLength(1)
})

test('a permanent refusal is not retried, and the log contains no address', async () => {
  await using mail = await createMailServer()
  await using app = await createTestApp(over(mail.url))
  const { email, id } = await createUser(app)
  mail.refuseWith = 550
  await send(app, email)
  await expect.poll(async () => (await mailJobs(app))[0]?.state, { timeout: 5_000 }).toBe('completed')
  expect(mail.attempts).toBe(1)
  const line = app.logLines.find((each) => each.includes('a mail was not sent'))
  expect(line).toContain(id)
  expect(line).toContain('EENVELOPE, answer 550')
  expect(app.logLines.join('')).not.toContain(email)
})

test('without a mail server, mail is written to the log', async () => {
  await using app = await createTestApp()
  const { email } = await createUser(app)
  await send(app, email)
  const find = () => app.logLines.find((line) => line.includes('"mail":'))
  await expect.poll(find, { timeout: 5_000 }).toBeDefined()
  const { mail, level }: { mail: { to: string; text: string }; level: unknown } = JSON.parse(find() ?? '')
  expect([mail.to, level]).toEqual([email, 30])
  const [link = ''] = /http:\S+token=\S+/.exec(mail.text) ?? []
  expect((await fetch(link)).status).toBe(200)
})

test.each([
  'ada@example.com\r\nBcc: eve@evil.example',
  'ada@example.com, eve@evil.example',
  'ada@example.com\r\n\r\nAnother message',
  '<eve@evil.example>, ada@example.com',
])('%j adds no second recipient and no header, even unvalidated', async (to) => {
  await using mail = await createMailServer()
  const transport = createMailTransport(over(mail.url), silent)
  const message = { subject: 'A subject\r\nBcc: eve@evil.example', text: 'Text' }
  const outcome = await transport.send(to, message, AbortSignal.timeout(5_000)).then(
    () => 'sent',
    (error: unknown) => error,
  )
  if (outcome !== 'sent') expect(outcome).toBeInstanceOf(Error)
  for (const { headers, recipients } of mail.messages) {
    expect(recipients).toHaveLength(1)
    expect(headers.map(([name]) => name)).not.toContain('bcc')
  }
  expect(mail.messages.flatMap(({ recipients }) => recipients)).not.toContain('eve@evil.example')
})

test('a server that is unavailable, disconnects or does not answer is retried', async () => {
  const transport = createMailTransport(over('smtp://127.0.0.1:1'), silent)
  const message = { subject: 'A subject', text: 'Text' }
  await expect(transport.send('ada@example.com', message, AbortSignal.timeout(5_000))).rejects.toThrow(MailNotSent)
  await expect(transport.send('ada@example.com', message, AbortSignal.abort())).rejects.toThrow(MailNotSent)

  await using mail = await createMailServer()
  mail.refuseWith = 550
  const refused = createMailTransport(over(mail.url), silent)
  await expect(refused.send('ada@example.com', message, AbortSignal.timeout(5_000))).rejects.toThrow(MailRefused)
})

test('the queue contains no secret', async () => {
  await using mail = await createMailServer()
  await using app = await createTestApp(over(mail.url))
  const { email } = await createUser(app)
  await send(app, email)
  const { token } = await mail.take(email)
  const dump = await dumpDatabase(app)
  expect(dump).toContain(email)
  expect(dump).not.toContain(token)
})
