import { append, move, replace, write } from './edits.ts'
import type { KnownChange } from './known-change.ts'

const countAll = replace('seats/seats.go', 'i := 1; i < len', 'i := 0; i < len')
const countTest = append(
  'seats/seats_test.go',
  `
func TestFreeInTheFirstRow(t *testing.T) {
	if got := Free([]string{"..", "x."}); got != 3 {
		t.Errorf("got %d", got)
	}
}
`,
)
const fromTen = replace('tickets/tickets.go', 'people > 10', 'people >= 10')
const fromTenTest = (name: string, body: string) =>
  append('tickets/tickets_test.go', `\nfunc ${name}(t *testing.T) {\n${body}}\n`)
const halfPrice = `
// Late returns the price of what is left before the curtain rises.
func Late(cents, minutes int) int {
	if minutes > 30 {
		return cents
	}
	return cents / 2
}
`

const ticketStack = write(
  'tickets/stack.go',
  `package tickets

// Stack keeps the tickets that were sold, the last one on top.
type Stack struct {
	items []string
}

// Push puts a ticket on top.
func (s *Stack) Push(ticket string) {
	s.items = append(s.items, ticket)
}

// Pop takes the ticket from the top; the stack must not be empty.
func (s *Stack) Pop() string {
	v := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return v
}
`,
)
const stackTest = (pops: string) =>
  write(
    'tickets/stack_test.go',
    `package tickets

import "testing"

func TestPop(t *testing.T) {
	s := &Stack{}
	s.Push("A1")
	s.Push("A2")
	if got := s.Pop(); got != "A2" {
		t.Errorf("got %s", got)
	}
${pops}}
`,
  )
const poppedTwice = '\tif got := s.Pop(); got != "A1" {\n\t\tt.Errorf("got %s", got)\n\t}\n'
const oldPop = '\tv := s.items[len(s.items)-1]\n\ts.items = s.items[:len(s.items)-1]\n\treturn v'

export const go: readonly KnownChange[] = [
  {
    name: 'refactoring that loses an assignment which no test notices',
    before: [ticketStack, stackTest('')],
    edits: [
      replace(
        'tickets/stack.go',
        oldPop,
        '\tlast := len(s.items) - 1\n\tv := s.items[last]\n\t_ = s.items[:last]\n\treturn v',
      ),
    ],
    expect: 'same',
    verdict: 'unproved',
    says: ['in the old code'],
  },
  {
    name: 'refactoring that names an index',
    before: [ticketStack, stackTest(poppedTwice)],
    edits: [
      replace(
        'tickets/stack.go',
        oldPop,
        '\tlast := len(s.items) - 1\n\tv := s.items[last]\n\ts.items = s.items[:last]\n\treturn v',
      ),
    ],
    expect: 'same',
    verdict: 'proved',
  },
  {
    name: 'renamed local variable',
    edits: [
      replace('seats/seats.go', 'count := 0', 'free := 0'),
      replace('seats/seats.go', 'count += strings', 'free += strings'),
      replace('seats/seats.go', 'return count', 'return free'),
    ],
    before: [countAll, countTest],
    expect: 'same',
    verdict: 'proved',
    isAside: true,
  },
  {
    name: 'right fix with its test',
    edits: [countAll, countTest],
    verdict: 'proved',
    transitions: { TestFreeInTheFirstRow: 'new_passing' },
  },
  { name: 'right fix without a test', edits: [fromTen], verdict: 'unproved', isAside: true },
  {
    name: 'fix with a test that passes before it too',
    edits: [
      fromTen,
      fromTenTest('TestGroupOfTen', '\tif got := Group(100, 20); got != 1800 {\n\t\tt.Errorf("got %d", got)\n\t}\n'),
    ],
    verdict: 'unproved',
    says: ['TestGroupOfTen'],
  },
  {
    name: 'fix with a new case in a table',
    edits: [
      replace(
        'seats/seats.go',
        '\treturn fmt.Sprintf("%c%d", \'A\'+row, seat+1)',
        "\tif row > 25 {\n\t\treturn fmt.Sprintf(\"%c%c%d\", 'A'+row/26-1, 'A'+row%26, seat+1)\n\t}\n\treturn fmt.Sprintf(\"%c%d\", 'A'+row, seat+1)",
      ),
      replace('seats/seats_test.go', '{2, 9, "C10"}}', '{2, 9, "C10"}, {25, 0, "Z1"}, {26, 0, "AA1"}, {53, 4, "BB5"}}'),
    ],
    verdict: 'proved',
    isAside: true,
  },
  {
    name: 'fix that breaks another test',
    edits: [
      replace('tickets/tickets.go', 'people > 10', 'people > 1'),
      fromTenTest('TestGroupOfTen', '\tif got := Group(100, 10); got != 900 {\n\t\tt.Errorf("got %d", got)\n\t}\n'),
    ],
    verdict: 'broken',
    transitions: { TestGroup: 'broken' },
    says: ['TestGroup'],
  },
  {
    name: 'refactoring that keeps behavior',
    edits: [
      replace(
        'tickets/tickets.go',
        '\tif age < 0 {\n\t\treturn 0, ErrAge\n\t}\n\tif age < 14 {\n\t\treturn 500, nil\n\t}\n\tif age > 65 {\n\t\treturn 800, nil\n\t}\n\treturn 1200, nil',
        '\tswitch {\n\tcase age < 0:\n\t\treturn 0, ErrAge\n\tcase age < 14:\n\t\treturn 500, nil\n\tcase age > 65:\n\t\treturn 800, nil\n\t}\n\treturn 1200, nil',
      ),
    ],
    expect: 'same',
    verdict: 'proved',
    isAside: true,
  },
  {
    name: 'refactoring with a change that tests notice',
    edits: [replace('tickets/tickets.go', 'if age > 65', 'if age >= 65')],
    expect: 'same',
    verdict: 'broken',
  },
  {
    name: 'compile error',
    edits: [countAll, countTest, replace('seats/seats.go', 'count := 0', 'count := ""')],
    verdict: ['not_built', 'broken'],
    isAside: true,
  },
  {
    name: 'compile error in the test',
    edits: [fromTen, fromTenTest('TestGroupOfTen', '\tunused := Group(100, 10)\n')],
    verdict: ['not_built', 'broken'],
  },
  {
    name: 'skipped test',
    edits: [
      fromTen,
      fromTenTest(
        'TestGroupOfTen',
        '\tt.Skip("for now")\n\tif got := Group(100, 10); got != 900 {\n\t\tt.Errorf("got %d", got)\n\t}\n',
      ),
    ],
    verdict: 'unproved',
    isAside: true,
  },
  {
    name: 'new function with good tests',
    edits: [
      append('tickets/tickets.go', halfPrice),
      fromTenTest(
        'TestLate',
        '\tfor minutes, want := range map[int]int{0: 600, 30: 600, 31: 1200} {\n\t\tif got := Late(1200, minutes); got != want {\n\t\t\tt.Errorf("got %d", got)\n\t\t}\n\t}\n',
      ),
    ],
    verdict: 'proved',
  },
  {
    name: 'new function whose test only calls it',
    edits: [
      append('tickets/tickets.go', halfPrice),
      fromTenTest('TestLate', '\tt.Log(Late(1200, 0))\n\tt.Log(Late(1200, 40))\n'),
    ],
    verdict: 'unproved',
    isAside: true,
  },
  {
    name: 'code of another system',
    edits: [
      countAll,
      countTest,
      write(
        'seats/screen_windows.go',
        'package seats\n\n// Screen returns where the screen is.\nfunc Screen(rows int) int {\n\tif rows > 20 {\n\t\treturn 2\n\t}\n\treturn 1\n}\n',
      ),
    ],
    verdict: ['unproved', 'proved'],
  },
  {
    name: 'generated file beside a fix',
    edits: [
      countAll,
      countTest,
      write(
        'seats/zz_generated.go',
        '// Code generated by names; DO NOT EDIT.\n\npackage seats\n\n// Names lists names.\nfunc Names() []string {\n\treturn []string{"A", "B"}\n}\n',
      ),
    ],
    verdict: 'proved',
    isAside: true,
  },
  {
    name: 'flaky test',
    edits: [
      fromTen,
      replace('tickets/tickets_test.go', '\t"errors"\n', '\t"errors"\n\t"os"\n'),
      fromTenTest(
        'TestGroupOfTen',
        '\tif got := Group(100, 10); got != 900 || os.Getpid()%2 == 0 {\n\t\tt.Errorf("got %d", got)\n\t}\n',
      ),
    ],
    verdict: 'flaky',
    says: ['TestGroupOfTen'],
    repeats: 10,
  },
  {
    name: 'renamed test file',
    edits: [countAll, countTest, move('seats/seats_test.go', 'seats/rows_test.go')],
    verdict: 'proved',
    isAside: true,
  },
]
