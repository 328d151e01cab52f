import { expect, test } from 'vitest'
import { fitEnvelope, maxBodyBytes } from './fit.ts'

test('leaves a small envelope unchanged', () => {
  const envelope = { event: 'project.updated', data: { name: 'Käse "№ 1"\n', tests: 3, error: null } }
  expect(JSON.parse(fitEnvelope(envelope))).toEqual(envelope)
})

test('replaces characters that the database rejects, and not their escaped form', () => {
  const json = fitEnvelope({ data: { broken: 'a\0b\ud800c', whole: '\\u0000 😀' } })
  expect(JSON.parse(json)).toEqual({ data: { broken: 'a\ufffdb\ufffdc', whole: '\\u0000 😀' } })
})

test.each([
  ['one text', { log: 'x'.repeat(1_000_000), status: 'failed' }],
  ['text that JSON makes long', { log: '\u001b'.repeat(60_000), status: 'failed' }],
  ['text that is long in bytes', { log: 'ü€'.repeat(60_000), status: 'failed' }],
  ['many texts', { logs: Array.from({ length: 500 }, () => 'x'.repeat(2_000)), status: 'failed' }],
])('cuts %s that make the envelope too large, with a note, and keeps the rest', (_, data) => {
  const json = fitEnvelope({ event: 'test_run.failed', data })
  expect(Buffer.byteLength(json)).toBeLessThan(maxBodyBytes)
  expect(JSON.parse(json)).toMatchObject({ event: 'test_run.failed', data: { status: 'failed' } })
  expect(/… \(\d+ more characters\)/.test(json)).toBe(true)
})
