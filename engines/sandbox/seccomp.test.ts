import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seccompProfile, seccompProgram } from './seccomp.ts'
import { syscalls, type Architecture } from './syscalls.ts'

const architectures: Record<Architecture, number> = { x64: 0xc000_003e, arm64: 0xc000_00b7 }
const [allow, kill, notPermitted, noSuchCall] = [0x7fff_0000, 0x8000_0000, 0x0005_0001, 0x0005_0026]

/** Runs a filter as the kernel does, on the number and the arguments of a call. */
function filter(program: Buffer, architecture: number, number: number, given: readonly bigint[]): number {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(architecture, 4)
  for (const [index, value] of given.entries()) data.writeBigUInt64LE(value, 16 + 8 * index)
  let accumulator = 0
  for (let at = 0; at < program.length / 8; at++) {
    const [code, ifTrue, ifFalse] = [program.readUInt16LE(at * 8), program[at * 8 + 2], program[at * 8 + 3]]
    const value = program.readUInt32LE(at * 8 + 4)
    const jump = (holds: boolean) => (at += (holds ? ifTrue : ifFalse) ?? 0)
    if (code === 0x06) return value
    if (code === 0x20) accumulator = data.readUInt32LE(value)
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0
    else if (code === 0x15) jump(accumulator === value)
    else if (code === 0x25) jump(accumulator > value)
    else if (code === 0x35) jump(accumulator >= value)
    else throw new Error(`unknown instruction ${code}`)
  }
  throw new Error('the filter gave no answer')
}

/** Answers as the container runtime does with a profile. */
function byProfile(name: string, given: readonly bigint[]): number {
  const { syscalls: entries } = seccompProfile()
  const entry = entries.find(
    ({ names, args = [] }) =>
      names.includes(name) &&
      args.every(({ index, value, valueTwo }) => ((given[index] ?? 0n) & BigInt(value)) === BigInt(valueTwo)),
  )
  if (entry === undefined) return notPermitted
  return entry.action === 'SCMP_ACT_ALLOW' ? allow : noSuchCall
}

const programs = { x64: seccompProgram('x64'), arm64: seccompProgram('arm64') }
const call = (architecture: Architecture, name: string, ...given: (number | bigint)[]) => {
  const number = syscalls.find((entry) => entry.name === name)?.numbers[architecture] ?? -1
  return filter(programs[architecture], architectures[architecture], number, given.map(BigInt))
}

test('answers every call and all arguments alike in the filter and in the profile', () => {
  const interesting = [0, 1, 2, 8, 10, 16, 40, 0o4755, 0o2755, 0o755, 0o100, 0o20200000, 1024, 1030, 0x5412, 0x541c]
  const argument = fc.oneof(
    fc.constantFrom(...interesting, 0x5423, 0x1000_0000, 0x8000, 0xffff_ffff).map(BigInt),
    fc.bigInt(0n, 2n ** 64n - 1n),
  )
  const anyCall = fc.tuple(
    fc.constantFrom(...syscalls),
    fc.constantFrom<Architecture>('x64', 'arm64'),
    fc.array(argument, { minLength: 6, maxLength: 6 }),
  )
  fc.assert(
    fc.property(anyCall, ([{ name, numbers }, architecture, given]) => {
      if (numbers[architecture] === null) return
      expect(call(architecture, name, ...given), name).toBe(byProfile(name, given))
    }),
    { numRuns: 5_000 },
  )
})

test.each<Architecture>(['x64', 'arm64'])('lets ordinary programs work on %s', (architecture) => {
  for (const { name, rule, numbers } of syscalls) {
    if (rule.kind === 'any' && numbers[architecture] !== null) expect(call(architecture, name), name).toBe(allow)
  }
  const threads = 0x3d_0f00
  expect(call(architecture, 'clone', threads)).toBe(allow)
  // O_RDONLY, with what happens to be in the register of the mode.
  expect(call(architecture, 'openat', 0, 0, 0, 0o7777)).toBe(allow)
  expect(call(architecture, 'openat', 0, 0, 0o101, 0o644)).toBe(allow)
  expect(call(architecture, 'fchmodat', 0, 0, 0o1777)).toBe(allow)
  expect(call(architecture, 'clone3')).toBe(noSuchCall)
})

test.each<Architecture>(['x64', 'arm64'])(
  'denies forbidden arguments on %s, whatever the upper bits say',
  (architecture) => {
    const above = 1n << 32n
    const forbidden: [string, ...(number | bigint)[]][] = [
      ['socket', 40],
      ['socket', 38],
      ['socket', 16, 3, 15],
      ['ioctl', 0, 0x5412],
      ['ioctl', 0, above | 0x5412n],
      ['fcntl', 0, 1024],
      ['fcntl', 0, above | 1024n],
      ['fchmod', 3, 0o4755],
      ['fchmodat', 0, 0, 0o2755],
      ['fchmodat2', 0, 0, 0o4755],
      ['openat', 0, 0, 0o101, 0o4755],
      ['openat', 0, 0, 0o20200002, 0o2755],
      ['mknodat', 0, 0, 0o20666],
      ['mknodat', 0, 0, 0o104755],
      ['clone', 0x1000_0000],
      ['personality', 0x40_0000],
    ]
    for (const words of forbidden) expect(call(architecture, ...words), words.join(' ')).toBe(notPermitted)
  },
)

test('knows no call that reaches past a sandbox', () => {
  const names = new Set(syscalls.map(({ name }) => name))
  const unknown =
    'keyctl add_key request_key shmget shmat shmctl shmdt msgget msgsnd msgrcv msgctl semget semop semctl semtimedop ' +
    'userfaultfd perf_event_open bpf io_uring_setup io_uring_enter io_uring_register mount umount2 fsopen fsmount ' +
    'fsconfig fspick move_mount open_tree open_tree_attr mount_setattr pivot_root chroot unshare setns ptrace kcmp ' +
    'process_vm_readv process_vm_writev process_madvise pidfd_getfd kexec_load kexec_file_load reboot swapon swapoff ' +
    'quotactl quotactl_fd init_module finit_module delete_module open_by_handle_at syslog acct settimeofday ' +
    'clock_settime iopl ioperm modify_ldt fanotify_init memfd_secret'
  expect(unknown.split(' ').filter((name) => names.has(name))).toEqual([])
  expect(new Set(syscalls.map(({ name }) => name)).size).toBe(syscalls.length)
})

test('kills programs of other architectures, and has no x32 and no newer calls', () => {
  expect(filter(programs.x64, 0x4000_0003, 1, [])).toBe(kill)
  expect(filter(programs.x64, architectures.arm64, 1, [])).toBe(kill)
  expect(filter(programs.arm64, architectures.x64, 1, [])).toBe(kill)
  expect(filter(programs.x64, architectures.x64, 0x4000_0001, [])).toBe(noSuchCall)
  expect(filter(programs.x64, architectures.x64, 2_000, [])).toBe(noSuchCall)
  // Denied as by Docker: a number that the table does not have between others.
  expect(filter(programs.x64, architectures.x64, 250, [])).toBe(notPermitted)
})
