import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { newId } from './ids.ts'
import { createLog } from './log.ts'
import { sessionToken } from '../identity/sessions/session-token.ts'
import { newToken } from '../identity/tokens/token-format.ts'

test('no secret gets into the log, neither by field name nor inside other text', () => {
  let written = ''
  const log = createLog('info', { write: (line) => void (written += line) })
  const token = newToken()
  const session = sessionToken('a key', { sessionId: newId(new Date()), generation: 35 })
  const secrets = [token, 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0', 'ghp_0123456789abcdefghij0123456789', 'hunter2', 'p4ssw0rd']
  log.info({ headers: { authorization: 'Basic hunter2', cookie: 'hunter2' }, password: 'hunter2' }, 'by name')
  log.error(
    { err: new Error(`cannot clone https://me:p4ssw0rd@example.com/x with ${token}`) },
    `${secrets[1]} ${secrets[2]}`,
  )
  log.warn(`Authorization: Bearer ${token}`)
  log.info({ path: `/nowhere/${session}` }, session)
  for (const secret of [...secrets, session]) expect(written).not.toContain(secret)
  expect(written).toContain('example.com/x')
  expect(
    written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).level),
  ).toEqual(['info', 'error', 'warn', 'info'])
})

test('database errors are logged without the values of the statement', () => {
  let written = ''
  const log = createLog('info', { write: (line) => void (written += line) })
  const failure = Object.assign(new Error('duplicate key'), {
    query: 'INSERT INTO passwords VALUES ($1)',
    parameters: ['a hash'],
    detail: 'Key (email)=(a hash) already exists.',
    driverError: { parameters: ['a hash'] },
    code: '23505',
  })
  log.error({ err: failure }, 'request failed')
  expect(written).toContain('INSERT INTO passwords')
  expect(written).toContain('23505')
  expect(written).not.toContain('a hash')
})

test.each(['process.exit(0)', "throw new Error('a defect')"])('the last lines are written before %s', async (end) => {
  const log = new URL('log.ts', import.meta.url).href
  const lines = `for (let line = 0; line < 500; line++) log.info({ line }, 'x'.repeat(200))`
  const script = `import { createLog } from '${log}'; const log = createLog('info'); ${lines}; ${end}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const written = (await text(child.stdout)).trim().split('\n')
  expect([written.length, JSON.parse(written.at(-1) ?? '').line]).toEqual([500, 499])
})
