import { expect, test } from 'vitest'
import { caseLines } from '../../testing/cases.ts'

test('reads errors, switches and loops', async () => {
  const cases = await caseLines(
    'go',
    `package p

func Load(path string, kinds []int) (*File, error) {
	if path == "" {
		return nil, errors.New("no path")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	if n, err := file.Read(); err != nil || n == 0 {
		return nil, err
	} else if n > limit {
		panic("too long")
	}
	for _, kind := range kinds {
		switch kind {
		case 1, 2:
			continue
		}
	}
	for i := 0; i < 3; i++ {
		step(i)
	}
	select {
	case <-done:
		return nil, nil
	default:
		wait()
	}
	return file, nil
}

func ready(a, b bool) bool {
	return a && b
}`,
  )
  expect(cases).toEqual([
    '4: path == "" -> returns nil, errors.New("no path")',
    '4: !(path == "") -> default',
    '8: err != nil after file, err := os.Open(path) -> returns nil, fmt.Errorf("open: %w", err)',
    '8: !(err != nil) after file, err := os.Open(path) -> default',
    '11: n, err := file.Read(); err != nil || n == 0 -> returns nil, err',
    '13: n > limit -> throws panic: too long',
    '13: !(err != nil || n == 0): !(n > limit) -> default',
    '16: kinds is empty -> loop_not_entered',
    '17: switch kind: none of its cases -> default',
    '18: switch kind: case 1, 2 -> early_return continue',
    '22: !(i < 3) -> loop_not_entered',
    '26: select: case <-done -> returns nil, nil',
    '28: select: default -> default wait()',
    '35: !a -> returns false',
  ])
})
