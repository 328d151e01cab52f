/**
 * The system calls that sandboxed commands may make, for every executor with a seccomp filter. Everything else fails.
 *
 * The list follows the default profile of Docker. It lacks what reaches past the sandbox or past its limits: keyrings,
 * System V IPC, io_uring, userfaultfd, perf, bpf, ptrace and the memory of other processes, mounts, namespaces, handles
 * of files, modules, clocks and quotas.
 */
export interface Syscall {
  name: string
  /** Null where the architecture does not have the call. */
  numbers: Record<Architecture, number | null>
  rule: Rule
}

/** As Node names them. */
export type Architecture = 'x64' | 'arm64'

/**
 * - `any`: allowed.
 * - `only`: allowed if all conditions of one alternative hold.
 * - `except`: allowed unless the argument has one of the values.
 * - `missing`: fails like a call that the kernel does not have, so that the C library uses an older one.
 *
 * All of these look at the lower 32 bits of an argument, which is what the kernel looks at.
 */
export type Rule =
  | { kind: 'any' }
  | { kind: 'only'; alternatives: readonly (readonly Condition[])[] }
  | { kind: 'except'; argument: number; values: readonly number[] }
  | { kind: 'missing' }

/** Holds if the argument, masked, has the value. */
export interface Condition {
  argument: number
  mask: number
  value: number
}

/** The name and the numbers on x86-64 and on 64-bit ARM, of calls that are allowed with any arguments. */
const allowed = `
  accept 43 202, accept4 288 242, access 21 -, adjtimex 159 171, alarm 37 -, arch_prctl 158 -, bind 49 200,
  brk 12 214, cachestat 451 451, capget 125 90, capset 126 91, chdir 80 49, chown 92 -, clock_adjtime 305 266,
  clock_getres 229 114, clock_gettime 228 113, clock_nanosleep 230 115, close 3 57, close_range 436 436,
  connect 42 203, copy_file_range 326 285, dup 32 23, dup2 33 -, dup3 292 24, epoll_create 213 -,
  epoll_create1 291 20, epoll_ctl 233 21, epoll_pwait 281 22, epoll_pwait2 441 441, epoll_wait 232 -, eventfd 284 -,
  eventfd2 290 19, execve 59 221, execveat 322 281, exit 60 93, exit_group 231 94, faccessat 269 48,
  faccessat2 439 439, fadvise64 221 223, fallocate 285 47, fchdir 81 50, fchown 93 55, fchownat 260 54,
  fdatasync 75 83, fgetxattr 193 10, flistxattr 196 13, flock 73 32, fork 57 -, fremovexattr 199 16, fsetxattr 190 7,
  fstat 5 80, fstatfs 138 44, fsync 74 82, ftruncate 77 46, futex 202 98, futex_requeue 456 456, futex_wait 455 455,
  futex_waitv 449 449, futex_wake 454 454, futimesat 261 -, get_robust_list 274 100, getcpu 309 168, getcwd 79 17,
  getdents 78 -, getdents64 217 61, getegid 108 177, geteuid 107 175, getgid 104 176, getgroups 115 158,
  getitimer 36 102, getpeername 52 205, getpgid 121 155, getpgrp 111 -, getpid 39 172, getppid 110 173,
  getpriority 140 141, getrandom 318 278, getresgid 120 150, getresuid 118 148, getrlimit 97 163, getrusage 98 165,
  getsid 124 156, getsockname 51 204, getsockopt 55 209, gettid 186 178, gettimeofday 96 169, getuid 102 174,
  getxattr 191 8, getxattrat 464 464, inotify_add_watch 254 27, inotify_init 253 -, inotify_init1 294 26,
  inotify_rm_watch 255 28, io_cancel 210 3, io_destroy 207 1, io_getevents 208 4, io_pgetevents 333 292,
  io_setup 206 0, io_submit 209 2, ioprio_get 252 31, ioprio_set 251 30, kill 62 129, landlock_add_rule 445 445,
  landlock_create_ruleset 444 444, landlock_restrict_self 446 446, lchown 94 -, lgetxattr 192 9, link 86 -,
  linkat 265 37, listen 50 201, listxattr 194 11, listxattrat 465 465, llistxattr 195 12, lremovexattr 198 15,
  lseek 8 62, lsetxattr 189 6, lstat 6 -, madvise 28 233, map_shadow_stack 453 453, membarrier 324 283,
  memfd_create 319 279, mincore 27 232, mkdir 83 -, mkdirat 258 34, mlock 149 228, mlock2 325 284, mlockall 151 230,
  mmap 9 222, mprotect 10 226, mq_getsetattr 245 185, mq_notify 244 184, mq_open 240 180, mq_timedreceive 243 183,
  mq_timedsend 242 182, mq_unlink 241 181, mremap 25 216, mseal 462 462, msync 26 227, munlock 150 229,
  munlockall 152 231, munmap 11 215, name_to_handle_at 303 264, nanosleep 35 101, newfstatat 262 79, pause 34 -,
  pidfd_open 434 434, pidfd_send_signal 424 424, pipe 22 -, pipe2 293 59, pkey_alloc 330 289, pkey_free 331 290,
  pkey_mprotect 329 288, poll 7 -, ppoll 271 73, prctl 157 167, pread64 17 67, preadv 295 69, preadv2 327 286,
  prlimit64 302 261, pselect6 270 72, pwrite64 18 68, pwritev 296 70, pwritev2 328 287, read 0 63, readahead 187 213,
  readlink 89 -, readlinkat 267 78, readv 19 65, recvfrom 45 207, recvmmsg 299 243, recvmsg 47 212,
  remap_file_pages 216 234, removexattr 197 14, removexattrat 466 466, rename 82 -, renameat 264 38,
  renameat2 316 276, restart_syscall 219 128, rmdir 84 -, rseq 334 293, rt_sigaction 13 134, rt_sigpending 127 136,
  rt_sigprocmask 14 135, rt_sigqueueinfo 129 138, rt_sigreturn 15 139, rt_sigsuspend 130 133,
  rt_sigtimedwait 128 137, rt_tgsigqueueinfo 297 240, sched_get_priority_max 146 125, sched_get_priority_min 147 126,
  sched_getaffinity 204 123, sched_getattr 315 275, sched_getparam 143 121, sched_getscheduler 145 120,
  sched_rr_get_interval 148 127, sched_setaffinity 203 122, sched_setattr 314 274, sched_setparam 142 118,
  sched_setscheduler 144 119, sched_yield 24 124, seccomp 317 277, select 23 -, sendfile 40 71, sendmmsg 307 269,
  sendmsg 46 211, sendto 44 206, set_robust_list 273 99, set_tid_address 218 96, setfsgid 123 152, setfsuid 122 151,
  setgid 106 144, setgroups 116 159, setitimer 38 103, setpgid 109 154, setpriority 141 140, setregid 114 143,
  setresgid 119 149, setresuid 117 147, setreuid 113 145, setrlimit 160 164, setsid 112 157, setsockopt 54 208,
  setuid 105 146, setxattr 188 5, setxattrat 463 463, shutdown 48 210, sigaltstack 131 132, signalfd 282 -,
  signalfd4 289 74, splice 275 76, stat 4 -, statfs 137 43, statx 332 291, symlink 88 -,
  symlinkat 266 36, sync 162 81, sync_file_range 277 84, syncfs 306 267, sysinfo 99 179, tee 276 77, tgkill 234 131,
  time 201 -, timer_create 222 107, timer_delete 226 111, timer_getoverrun 225 109, timer_gettime 224 108,
  timer_settime 223 110, timerfd_create 283 85, timerfd_gettime 287 87, timerfd_settime 286 86, times 100 153,
  tkill 200 130, truncate 76 45, umask 95 166, uname 63 160, unlink 87 -, unlinkat 263 35, utime 132 -,
  utimensat 280 88, utimes 235 -, vfork 58 -, vmsplice 278 75, wait4 61 260, waitid 247 95, write 1 64, writev 20 66
`

const all = 0xffff_ffff
const is = (argument: number, value: number): Condition => ({ argument, mask: all, value })
const lacks = (argument: number, bits: number): Condition => ({ argument, mask: bits, value: 0 })
const only = (...alternatives: Condition[][]): Rule => ({ kind: 'only', alternatives })

const setuidOrSetgid = 0o6000
/** Of S_IFMT, set for character and block devices and for no other kind that mknod creates. */
const device = 0o020000
const creates = 0o100 | 0o20000000
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const newNamespaces = 0x7e02_0000

const families = { unix: 1, inet: 2, inet6: 10, netlink: 16 }
const routeProtocol = 0
const setLease = 1024
/** TIOCSTI types into the terminal, TIOCLINUX pastes into a console, TIOCSETD loads line disciplines of the kernel. */
const terminalControls = [0x5412, 0x541c, 0x5423]
/** Linux, 32-bit Linux, each also with a version of 2.6, and the question which it is. */
const personalities = [0, 8, 0x2_0000, 0x2_0008, all]

const limited: readonly [name: string, x64: number | null, arm64: number | null, rule: Rule][] = [
  ['chmod', 90, null, only([lacks(1, setuidOrSetgid)])],
  ['fchmod', 91, 52, only([lacks(1, setuidOrSetgid)])],
  ['fchmodat', 268, 53, only([lacks(2, setuidOrSetgid)])],
  ['fchmodat2', 452, 452, only([lacks(2, setuidOrSetgid)])],
  ['creat', 85, null, only([lacks(1, setuidOrSetgid)])],
  // The mode may have any value where no file is created.
  ['open', 2, null, only([lacks(1, creates)], [lacks(2, setuidOrSetgid)])],
  ['openat', 257, 56, only([lacks(2, creates)], [lacks(3, setuidOrSetgid)])],
  ['mknod', 133, null, only([lacks(1, setuidOrSetgid | device)])],
  ['mknodat', 259, 33, only([lacks(2, setuidOrSetgid | device)])],
  [
    'socket',
    41,
    198,
    only(
      [is(0, families.unix)],
      [is(0, families.inet)],
      [is(0, families.inet6)],
      // Programs list network interfaces with it.
      [is(0, families.netlink), is(2, routeProtocol)],
    ),
  ],
  ['socketpair', 53, 199, only([is(0, families.unix)])],
  ['clone', 56, 220, only([lacks(0, newNamespaces)])],
  ['personality', 135, 92, only(...personalities.map((value) => [is(0, value)]))],
  ['ioctl', 16, 29, { kind: 'except', argument: 1, values: terminalControls }],
  ['fcntl', 72, 25, { kind: 'except', argument: 1, values: [setLease] }],
  // Their arguments are in memory, where no filter can look.
  ['clone3', 435, 435, { kind: 'missing' }],
  ['openat2', 437, 437, { kind: 'missing' }],
]

export const syscalls: readonly Syscall[] = [
  ...allowed
    .trim()
    .split(/,\s*/)
    .map((entry): Syscall => {
      const [name = '', x64, arm64] = entry.split(' ')
      return { name, numbers: { x64: numberOf(x64), arm64: numberOf(arm64) }, rule: { kind: 'any' } }
    }),
  ...limited.map(([name, x64, arm64, rule]): Syscall => ({ name, numbers: { x64, arm64 }, rule })),
]

function numberOf(text: string | undefined): number | null {
  return text === undefined || text === '-' ? null : Number(text)
}
