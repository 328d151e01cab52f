import { expect, test } from 'vitest'
import { caseLines } from '../../testing/cases.ts'

test('reads guards, defaults and rescues', async () => {
  const cases = await caseLines(
    'ruby',
    `def load(path, limit = 10, strict: true)
  raise ArgumentError, "no path" if path.nil?
  return nil unless File.exist?(path)
  @name ||= "nobody"
  size = path&.size
  if limit > 5
    note(limit)
  elsif strict
    fail "strict"
  else
    relax
  end
  until done? do step end
  case kind
  when :a, :b then first
  else second
  end
  limit > 3 ? "many" : "few"
rescue IOError, SystemCallError => e
  retry_later(e)
end`,
  )
  expect(cases).toEqual([
    '1: limit is not given -> default 10',
    '1: strict is not given -> default true',
    '2: path.nil? -> throws ArgumentError: no path',
    '2: !path.nil? -> default',
    '3: !(File.exist?(path)) -> returns nil',
    '3: File.exist?(path) -> default',
    '4: @name is falsy -> default "nobody"',
    '5: path is nil -> default nil',
    '6: limit > 5 -> default note(limit)',
    '8: strict -> throws RuntimeError: strict',
    '8: !(limit > 5): !strict -> default relax',
    '13: done? -> loop_not_entered',
    '15: case kind: when :a, :b -> default first',
    '16: case kind: else -> default second',
    '18: limit > 3 -> returns "many"',
    '18: !(limit > 3) -> returns "few"',
    '19: rescue IOError, SystemCallError => e around raise ArgumentError, "no path" if path.nil? … -> catch retry_later(e)',
  ])
})

test('reads patterns', async () => {
  const cases = await caseLines(
    'ruby',
    `def run(command)
  case command
  in [:go, Integer => speed] if speed > 1
    speed
  in {stop: true}
    raise Stopped.new("stopped")
  end
end`,
  )
  expect(cases).toEqual([
    '2: case command: none of its cases -> throws NoMatchingPatternError',
    '3: case command: in [:go, Integer => speed] if speed > 1 -> returns speed',
    '5: case command: in {stop: true} -> throws Stopped: stopped',
  ])
})
