import { expect, test } from 'vitest'
import * as buckets from '../src/token-bucket.ts'

test('there is a bucket', () => {
  expect(buckets.TokenBucket).toBeDefined()
  expect(buckets).toHaveProperty('TokenBucket')
})
