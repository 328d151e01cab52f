import { expect, test } from 'vitest'
import { caseLines } from '../../testing/cases.ts'

test('reads a function', async () => {
  const cases = await caseLines(
    'python',
    `def parse(text, *, strict=True, limit: int = 10):
    if not text:
        raise ValueError("empty " f"{text}")
    elif len(text) > limit:
        return None
    else:
        note(text)
    size = len(text) if strict else 0
    kind = text.kind or "plain"
    for line in text:
        if line is None:
            continue
    while size > 0:
        size -= 1
    try:
        value = int(text)
    except (TypeError, ValueError) as error:  # no number
        raise ParseError(text) from error
    assert value, "no value"
    kept = [one for one in text if one.ok]
    return kept and kept[0]`,
  )
  expect(cases).toEqual([
    '1: strict is not given -> default True',
    '1: limit is not given -> default 10',
    '2: not text -> throws ValueError: empty {text}',
    '4: len(text) > limit -> returns None',
    '4: text: not (len(text) > limit) -> default note(text)',
    '8: strict -> default len(text)',
    '8: not strict -> default 0',
    '9: text.kind is falsy -> default "plain"',
    '10: text is empty -> loop_not_entered',
    '11: line is None -> early_return continue',
    '11: not (line is None) -> default',
    '13: not (size > 0) -> loop_not_entered',
    '17: except (TypeError, ValueError) as error around value = int(text) -> throws ParseError',
    '19: not value -> throws AssertionError: no value',
    '20: not one.ok -> default',
    '21: not kept -> returns kept',
  ])
})

test('reads match and nested handlers', async () => {
  const cases = await caseLines(
    'python',
    `def run(command):
    match command:
        case ["go", speed] if speed > 1:
            return speed
        case {"stop": True}:
            stop()
        case _:
            raise Unknown(command)
    try:
        close()
    finally:
        done()`,
  )
  expect(cases).toEqual([
    '3: match command: case ["go", speed] if speed > 1 -> returns speed',
    '5: match command: case {"stop": True} -> default stop()',
    '7: match command: case _ -> throws Unknown',
  ])
})
