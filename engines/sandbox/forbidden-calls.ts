import { quote } from './shell.ts'
import type { Architecture } from './syscalls.ts'

/** `descriptorOf` is that of an open file, `zeros` a buffer. */
type Argument = number | string | { zeros: number } | { descriptorOf: 'file' }

interface ForbiddenCall {
  name: string
  numbers: Record<Architecture, number>
  arguments: readonly Argument[]
}

const call = (name: string, x64: number, arm64: number, ...arguments_: Argument[]): ForbiddenCall => {
  return { name, numbers: { x64, arm64 }, arguments: arguments_ }
}

const sessionKeyring = -3
/** Calls that succeed for any user of most kernels and must fail in a sandbox. None of them changes the machine. */
const forbiddenCalls = [
  call('keyctl', 250, 219, 0, sessionKeyring, 1),
  call('add_key', 248, 217, 'user', 'assay-canary', 'x', 1, -2),
  call('shmget', 29, 194, 0, 4096, 0o1600),
  call('semget', 64, 190, 0, 1, 0o1600),
  call('msgget', 68, 186, 0, 0o1600),
  call('socket of the family vsock', 41, 198, 40, 1, 0),
  call('socket of the family alg', 41, 198, 38, 5, 0),
  call('fcntl with F_SETLEASE', 72, 25, { descriptorOf: 'file' }, 1024, 0),
  call('userfaultfd', 323, 282, 1),
  call('io_uring_setup', 425, 425, 1, { zeros: 120 }),
  call('perf_event_open', 298, 241, { zeros: 120 }, 0, -1, -1, 0),
  call('ptrace', 101, 117, 0, 0, 0, 0),
  call('unshare of a user namespace', 272, 97, 0x1000_0000),
  call('chmod with the setuid bit', 268, 53, -100, 'here', 0o4755),
  call('chmod with the setgid bit', 268, 53, -100, 'here', 0o2755),
  call('open with the setuid bit', 257, 56, -100, 'made', 0o102, 0o4755),
]

/**
 * Makes a command for a folder with a file `here` that prints the names of the forbidden calls that succeed. Prints
 * nothing where there is no perl, which can make any call.
 */
export function forbiddenCallsCommand(architecture: Architecture): string {
  const tries = forbiddenCalls.map(({ name, numbers, arguments: given }) => {
    return `print "${name}\\n" if syscall(${[numbers[architecture], ...given.map(inPerl)].join(', ')}) >= 0;`
  })
  // The kernel may write to what it gets, so perl refuses constants.
  const program = ['sub S { my $copy = shift; $copy }', 'open F, "<", "here";', ...tries].join('\n')
  return `command -v perl >/dev/null && perl -e ${quote(program)}`
}

function inPerl(argument: Argument): string {
  if (typeof argument === 'number') return String(argument)
  if (typeof argument === 'string') return `S("${argument}")`
  return 'zeros' in argument ? `S("\\0" x ${argument.zeros})` : 'fileno(F)'
}
