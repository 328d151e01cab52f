import { expect, test } from 'vitest'
import { createLog } from './log.ts'

test('the log redacts a token anywhere in a line', () => {
  const lines: string[] = []
  const token = `svc_v1_${'a'.repeat(32)}_abcd`
  const log = createLog('info', { write: (line) => void lines.push(line) })
  log.info({ header: `Bearer ${token}`, err: new Error(`refused ${token}`) }, `with ${token}`)
  expect(lines.join('')).toContain('svc_[redacted]')
  expect(lines.join('')).not.toContain('aaaa')
})
