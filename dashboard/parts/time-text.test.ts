import { describe, expect, it } from 'vitest'
import { absoluteTime, formatDuration, relativeTime, shortTime } from './time-text.ts'

describe('times as text', () => {
  const now = Date.parse('2026-11-26T12:00:00Z')
  const before = (seconds: number) => relativeTime(new Date(now - seconds * 1_000).toISOString(), now)

  it('says how long ago something was, in the largest unit that fits', () => {
    expect(before(20)).toBe('now')
    expect(before(60)).toBe('1 min ago')
    expect(before(3_599)).toBe('59 min ago')
    expect(before(5 * 3_600)).toBe('5 h ago')
    expect(before(30 * 3_600)).toBe('yesterday')
    expect(before(3 * 86_400)).toBe('3 days ago')
    expect(before(31 * 86_400)).toBe('1 month ago')
    expect(before(3 * 365 * 86_400)).toBe('3 years ago')
  })

  it('says when something will be', () => {
    expect(before(-20)).toBe('now')
    expect(before(-90)).toBe('in 1 min')
    expect(before(-86_400)).toBe('tomorrow')
    // Noon, and 40 hours later it is early on the day after tomorrow.
    expect(before(-40 * 3_600)).toBe('in 2 days')
    expect(before(-60 * 86_400)).toBe('in 2 months')
  })

  it('writes times so that they sort as text, in the time zone of the reader', () => {
    const at = new Date(2026, 0, 2, 3, 4, 5).toISOString()
    expect(absoluteTime(at)).toBe('2026-01-02 03:04:05')
    expect(shortTime(at)).toBe('2026-01-02 03:04')
  })

  it('writes durations in the largest sensible unit', () => {
    expect([340, 1_500, 12_345, 245_000, 7_800_000].map(formatDuration)).toEqual([
      '340 ms',
      '1.50 s',
      '12.3 s',
      '4 min 5 s',
      '2 h 10 min',
    ])
  })
})
