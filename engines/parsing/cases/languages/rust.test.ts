import { expect, test } from 'vitest'
import { caseLines } from '../../testing/cases.ts'

test('reads results, patterns and panics', async () => {
  const cases = await caseLines(
    'rust',
    `fn load(path: &str, limit: usize) -> Result<Data, Error> {
    let text = read(path)?;
    let Some(first) = text.lines().next() else { return Err(Error::Empty) };
    if text.len() > limit {
        return Err(Error::TooLong);
    }
    assert!(limit > 0, "no limit");
    assert_eq!(first, "v1");
    let size = text.size().unwrap_or(0);
    let kind = parse(first).expect("a kind");
    for line in text.lines() {
        if let Some(name) = name_of(line) { note(name) }
    }
    match kind {
        Kind::A | Kind::B => Ok(Data::new(size)),
        Kind::C if size > 1 => panic!("bad {}", size),
        _ => Err(Error::Kind),
    }
}`,
  )
  expect(cases).toEqual([
    '2: read(path) is Err or None -> early_return',
    '3: !(let Some(first) = text.lines().next()) -> returns Err(Error::Empty)',
    '3: let Some(first) = text.lines().next() -> default',
    '4: text.len() > limit -> returns Err(Error::TooLong)',
    '4: !(text.len() > limit) -> default',
    '7: !(limit > 0) -> throws panic: no limit',
    '8: assert_eq!(first, "v1") fails -> throws panic',
    '9: text.size() is Err or None -> default 0',
    '10: parse(first) is Err or None -> throws panic: a kind',
    '11: text.lines() is empty -> loop_not_entered',
    '12: let Some(name) = name_of(line) -> default note(name)',
    '12: !(let Some(name) = name_of(line)) -> default',
    '15: match kind: Kind::A | Kind::B -> returns Ok(Data::new(size))',
    '16: match kind: Kind::C if size > 1 -> throws panic: bad {}',
    '17: match kind: _ -> returns Err(Error::Kind)',
  ])
})
