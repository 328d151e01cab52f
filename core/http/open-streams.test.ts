import { expect, test } from 'vitest'
import { createOpenStreams } from './open-streams.ts'

test('limits the open streams per user and in total', () => {
  const streams = createOpenStreams({ maxPerUser: 2, max: 3 })
  const first = streams.take('ada')
  streams.take('ada')
  expect(() => streams.take('ada')).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }))
  streams.take('bob')
  expect(() => streams.take('eve')).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }))
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  streams.take('eve')
  expect(() => streams.take('ada')).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }))
})
