import { syscalls, type Architecture, type Condition, type Rule } from './syscalls.ts'

/** Returns undefined for a machine without a table of its system calls. */
export function seccompArchitecture(name: string = process.arch): Architecture | undefined {
  return name === 'x64' || name === 'arm64' ? name : undefined
}

/** What filters of the kernel answer. */
const answers = { allow: 0x7fff_0000, kill: 0x8000_0000, errno: 0x0005_0000 }
const errors = { notPermitted: 1, noSuchCall: 38 }
const auditArchitectures: Record<Architecture, number> = { x64: 0xc000_003e, arm64: 0xc000_00b7 }

/** Operations of the kernel's filter language: load a word, compare, mask, jump, return. */
const operations = { load: 0x20, jumpIfEqual: 0x15, jumpIfGreater: 0x25, jumpIfNotLess: 0x35, and: 0x54, return: 0x06 }
/** Where a filter finds them. Both architectures have the lower half of an argument first. */
const offsets = { number: 0, architecture: 4, argument: (index: number) => 16 + 8 * index }
/** Numbers from here on are the x32 interface of x86-64. */
const x32 = 0x4000_0000

type Instruction = [code: number, ifTrue: number, ifFalse: number, value: number]
const load = (offset: number): Instruction => [operations.load, 0, 0, offset]
const answer = (value: number): Instruction => [operations.return, 0, 0, value]
const denied = answer(answers.errno | errors.notPermitted)
const missing = answer(answers.errno | errors.noSuchCall)
const granted = answer(answers.allow)

/**
 * Makes the filter for the kernel: a program in its classic BPF, as `bwrap --seccomp` reads it. Programs of another
 * architecture are killed, and calls that are newer than the table are answered as by an older kernel.
 */
export function seccompProgram(architecture: Architecture): Buffer {
  const rules = new Map<number, Rule>()
  for (const { numbers, rule } of syscalls) {
    const number = numbers[architecture]
    if (number !== null) rules.set(number, rule)
  }
  const last = Math.max(...rules.keys())
  const program: Instruction[] = [
    load(offsets.architecture),
    [operations.jumpIfEqual, 1, 0, auditArchitectures[architecture]],
    answer(answers.kill),
    load(offsets.number),
    [operations.jumpIfNotLess, 0, 1, x32],
    missing,
  ]
  let number = 0
  while (number <= last) {
    const rule = rules.get(number)
    let end = number
    // One comparison for neighbors that are all allowed, or all denied.
    if (rule === undefined || rule.kind === 'any') while (end < last && rules.get(end + 1)?.kind === rule?.kind) end++
    const body = rule === undefined ? [denied] : instructionsFor(rule)
    program.push([operations.jumpIfGreater, body.length, 0, end], ...body)
    number = end + 1
  }
  program.push(missing)
  return encode(program)
}

function instructionsFor(rule: Rule): Instruction[] {
  if (rule.kind === 'any') return [granted]
  if (rule.kind === 'missing') return [missing]
  if (rule.kind === 'except') {
    const { argument, values } = rule
    const checks = values.map((value, index): Instruction => {
      return [operations.jumpIfEqual, values.length - index, 0, value]
    })
    return [load(offsets.argument(argument)), ...checks, granted, denied]
  }
  const alternatives = rule.alternatives.flatMap((conditions) => {
    const checks = conditions.map(({ argument, mask, value }): Instruction[] => [
      load(offsets.argument(argument)),
      [operations.and, 0, 0, mask],
      [operations.jumpIfEqual, 0, 0, value],
    ])
    // A condition that does not hold leads past the answer.
    const steps = [...checks.flat(), granted]
    return steps.map(([code, ifTrue, , value], index): Instruction => {
      return [code, ifTrue, code === operations.jumpIfEqual ? steps.length - 1 - index : 0, value]
    })
  })
  return [...alternatives, denied]
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    if (ifTrue > 255 || ifFalse > 255) throw new Error('A jump of the filter is too long.')
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(ifTrue, index * 8 + 2)
    bytes.writeUInt8(ifFalse, index * 8 + 3)
    bytes.writeUInt32LE(value, index * 8 + 4)
  }
  return bytes
}

/** A profile as Docker and the OCI runtime specification define it. */
export interface SeccompProfile {
  defaultAction: 'SCMP_ACT_ERRNO'
  defaultErrnoRet: number
  architectures: string[]
  syscalls: {
    names: string[]
    action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO'
    errnoRet?: number
    args?: { index: number; value: number; valueTwo: number; op: 'SCMP_CMP_MASKED_EQ' }[]
  }[]
}

/** Makes the same filter as a profile. Without 32-bit architectures, whose calls have other numbers. */
export function seccompProfile(): SeccompProfile {
  const named = (kind: Rule['kind']) => syscalls.filter(({ rule }) => rule.kind === kind).map(({ name }) => name)
  const withArguments = syscalls.flatMap(({ name, rule }) =>
    alternativesOf(rule).map((conditions) => ({
      names: [name],
      action: 'SCMP_ACT_ALLOW' as const,
      args: conditions.map(({ argument, mask, value }) => {
        return { index: argument, value: mask, valueTwo: value, op: 'SCMP_CMP_MASKED_EQ' as const }
      }),
    })),
  )
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: errors.notPermitted,
    architectures: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'],
    syscalls: [
      { names: named('any'), action: 'SCMP_ACT_ALLOW' },
      ...withArguments,
      { names: named('missing'), action: 'SCMP_ACT_ERRNO', errnoRet: errors.noSuchCall },
    ],
  }
}

function alternativesOf(rule: Rule): readonly (readonly Condition[])[] {
  if (rule.kind === 'only') return rule.alternatives
  if (rule.kind !== 'except') return []
  return everythingBut(rule.values).map(({ mask, value }) => [{ argument: rule.argument, mask, value }])
}

/**
 * Describes all 32-bit numbers except some by masks. A profile can compare for inequality only all 64 bits, of which
 * the kernel ignores the upper ones.
 */
function everythingBut(values: readonly number[], mask = 0, value = 0, bit = 31): { mask: number; value: number }[] {
  if (values.length === 0) return [{ mask, value }]
  if (bit < 0) return []
  const weight = 2 ** bit
  return [0, weight].flatMap((set) => {
    const left = values.filter((excluded) => Math.floor(excluded / weight) % 2 === (set === 0 ? 0 : 1))
    return everythingBut(left, mask + weight, value + set, bit - 1)
  })
}
