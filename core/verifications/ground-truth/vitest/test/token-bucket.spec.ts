import { beforeEach, describe, expect, it } from 'vitest'
import { TokenBucket } from '../src/token-bucket.ts'

let now = 0
const takes = (bucket: TokenBucket, times: number) => Array.from({ length: times }, () => bucket.take())

describe('a bucket of two that gains two each second', () => {
  let bucket: TokenBucket
  beforeEach(() => {
    now = 5_000
    bucket = new TokenBucket(2, 2, () => now)
  })
  it('lets two pass at once', () => {
    expect(takes(bucket, 3)).toEqual([true, true, false])
  })
  it('gains with time', () => {
    takes(bucket, 2)
    now += 499
    expect(bucket.take()).toBe(false)
    now += 1
    expect(takes(bucket, 2)).toEqual([true, false])
  })
  it('never holds more than it can', () => {
    now += 60_000
    expect(takes(bucket, 3)).toEqual([true, true, false])
  })
})
