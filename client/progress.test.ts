import { expect, test } from 'vitest'
import { measurementProgress, verificationProgress } from './progress.ts'

test('work waits, starts and ends', () => {
  const messageOf = (status: 'pending' | 'running' | 'completed') =>
    verificationProgress({ status, progress: null }).message
  expect([messageOf('pending'), messageOf('running'), messageOf('completed')]).toEqual([
    'queued',
    'starting',
    'completed',
  ])
})

test('a measurement says that its budget begins after the installation', () => {
  const work = { status: 'running', progress: { phase: 'installing', done: 0, total: 0 } } as const
  expect(measurementProgress(work).message).toBe('installing dependencies; the budget begins after it')
})
