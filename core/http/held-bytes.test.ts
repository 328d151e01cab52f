import { expect, test } from 'vitest'
import { HeldBytes } from './held-bytes.ts'

const megabytes = (count: number) => count * 2 ** 20

test('one caller cannot keep out others with uploads that take long', () => {
  const held = new HeldBytes('snapshots', 10)
  const first = Array.from({ length: 8 }, () => held.hold('ann', megabytes(64)))
  expect(() => held.hold('ann', 1)).toThrow(
    expect.objectContaining({
      code: 'RATE_LIMITED',
      retryAfter: 10,
      message: 'You are sending 512 MiB of snapshots. Send fewer at a time, and this one again in 10 s.',
    }),
  )
  const second = Array.from({ length: 8 }, () => held.hold('bob', megabytes(64)))
  expect(() => held.hold('cat', 1)).toThrow(expect.objectContaining({ code: 'UNAVAILABLE', retryAfter: 10 }))
  for (const one of [...first, ...second]) one[Symbol.dispose]()
  for (let count = 0; count < 8; count++) held.hold('ann', megabytes(64))
  expect(() => held.hold('bob', megabytes(64))).not.toThrow()
})
